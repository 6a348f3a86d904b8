"""Mutants of profiles, of sign-ins, and of what a full disk leaves unsaid."""

from .mutant import Mutant

TESTS, KEYRING = "tests/config/test_profiles.py", "tests/auth/test_keyring.py"
SETTINGS, AUTH = "ads_cli/config/settings.py", "ads_cli/commands/auth/__init__.py"

PROFILES = (
    Mutant(
        "an answer that the full log cannot note is lost",
        "ads_cli/http/trace.py",
        "            self._unwritten = error\n",
        "            raise\n",
        (
            "tests/console/test_log_file.py::"
            "test_a_campaign_that_the_full_log_could_not_note_is_shown_and_known",
        ),
    ),
    Mutant(
        "a full log says nothing",
        "ads_cli/console/invocation.py",
        "        self.parsed.resources.callback(trace.require_written)\n",
        "",
        (
            "tests/console/test_log_file.py::"
            "test_a_campaign_that_the_full_log_could_not_note_is_shown_and_known",
        ),
    ),
    Mutant(
        "a full standard output does not say what was done",
        "ads_cli/cli/error_boundary.py",
        ", hint=command_line.side_effects())",
        ")",
        (
            "tests/promises/test_shell.py::"
            "test_a_campaign_whose_result_a_full_disk_cannot_take_is_said_to_be_there",
        ),
    ),
    Mutant(
        "a sandbox that is neither yes nor no is the real service",
        SETTINGS,
        "if found and value not in TRUE | FALSE:",
        "if False:",
        (f"{TESTS}::test_a_sandbox_that_is_neither_yes_nor_no_sends_nothing_to_the_real_service",),
    ),
    Mutant(
        "an empty --profile is the default profile",
        SETTINGS,
        'if self.flags.get("profile") == "":',
        "if False:",
        (f"{TESTS}::test_an_empty_variable_of_a_script_does_not_name_the_default_profile[]",),
    ),
    Mutant(
        "a default profile that does not exist is an empty one",
        SETTINGS,
        "if name not in (LOCAL, DEFAULT_PROFILE, *profiles) and",
        "if named and name not in (LOCAL, DEFAULT_PROFILE, *profiles) and",
        (f"{TESTS}::test_a_default_profile_that_does_not_exist_stops_what_would_use_another_account",),
    ),
    Mutant(
        "settings that are a link to nothing are none",
        "ads_cli/config/trusted_files.py",
        "if path.is_symlink():",
        "if False:",
        (f"{TESTS}::test_a_configuration_that_is_a_link_to_nothing_is_not_an_empty_one",),
    ),
    Mutant(
        "a dry run signs in",
        "ads_cli/commands/auth/login.py",
        'if call.is_dry_run(f"sign in, and store the tokens of the profile {call.settings.profile}"):',
        "if False:",
        ("tests/auth/test_signin.py::test_a_dry_run_of_a_sign_in_asks_nobody_and_stores_nothing",),
    ),
    Mutant(
        "an earlier sign-in stays in its store",
        "ads_cli/commands/auth/login.py",
        'if earlier and earlier != settings.get("token_store"):',
        "if False:",
        (f"{KEYRING}::test_a_sign_in_that_is_stored_elsewhere_leaves_nothing_of_the_one_before",),
    ),
    Mutant(
        "a bearer token takes the profile to another store",
        AUTH,
        "    if not named:\n",
        "    if True:\n",
        (f"{KEYRING}::test_a_bearer_token_that_is_stored_elsewhere_does_not_end_the_sign_in",),
    ),
    Mutant(
        "a stored grant cannot be ended beside tokens of the environment",
        AUTH,
        'token = GRANT if settings.client_id else "access_token"',
        'token = GRANT if settings.uses_grant else "access_token"',
        ("tests/auth/test_grants.py::test_a_sign_out_ends_the_stored_grant_whatever_the_environment_has",),
    ),
)
