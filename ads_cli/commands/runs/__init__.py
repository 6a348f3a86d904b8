"""What all commands that send files share: options, checks, the push, its reports and jobs."""
