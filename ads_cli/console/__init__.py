"""One invocation: common options, request input, results, charts, help texts and completion ids."""
