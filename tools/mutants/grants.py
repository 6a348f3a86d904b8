"""Mutants of grants of OAuth 2.0, and of what depends on them."""

from .mutant import Mutant

TESTS, CLIENT, GRANTS = "tests/auth/test_grants.py", "ads_cli/client/client.py", "ads_cli/auth/grants.py"
ACTIVATE, SIGNED_OUT = "tests/campaigns/test_activate.py", "tests/fleet/test_signed_out.py"

OAUTH2 = (
    Mutant(
        "oauth2: the newest refresh token is not stored",
        GRANTS,
        "                self._write(stored, addresses)\n            self._current = stored",
        "            self._current = stored",
        (f"{TESTS}::test_the_wire_of_a_sign_in_and_a_refresh",),
    ),
    Mutant(
        "oauth2: a refresh begins where nothing can be stored",
        GRANTS,
        "                self._write(started, addresses)\n",
        "",
        (f"{TESTS}::test_a_refresh_that_never_arrives_leaves_the_sign_in_as_it_was",),
    ),
    Mutant(
        "oauth2: two processes renew at once",
        GRANTS,
        "with self._lock, locked(self._store.lock_path(self._profile), LOCK_TIMEOUT_SECONDS):",
        "with self._lock:",
        (f"{TESTS}::test_processes_that_share_a_sign_in_renew_it_once",),
    ),
    Mutant(
        "oauth2: a lost answer is the end",
        GRANTS,
        "REFRESH_ATTEMPTS = 2",
        "REFRESH_ATTEMPTS = 1",
        (f"{TESTS}::test_a_refresh_whose_answer_is_lost_is_tried_once_more",),
    ),
    Mutant(
        "oauth2: a rejected token is not renewed",
        CLIENT,
        "            if error.http_status != 401:\n                raise\n",
        "            raise\n",
        (f"{TESTS}::test_a_token_that_the_service_has_ended_early_is_renewed_once",),
    ),
    Mutant(
        "a callback for another sign-in is accepted",
        "ads_cli/auth/sign_in.py",
        "if not token or not hmac.compare_digest(found.encode(), token.encode()):",
        "if not token:",
        (
            f"{TESTS}::test_what_is_pasted_must_be_of_this_sign_in",
            "tests/auth/test_callback.py::test_a_listener_accepts_only_the_callback_of_its_request_token",
        ),
    ),
    Mutant(
        "oauth2: a confidential app names itself in the body",
        GRANTS,
        "            client_id=None if client_secret else stored.client_id,\n",
        "            client_id=stored.client_id,\n",
        (f"{TESTS}::test_the_wire_of_a_confidential_app",),
    ),
    Mutant(
        "oauth2: a grant is used on other machines",
        "ads_cli/auth/secrets.py",
        "    if settings.uses_grant:\n        raise",
        "    if False:\n        raise",
        ("tests/fleet/test_check.py::test_a_sign_in_of_one_machine_is_no_use_to_a_fleet_on_others",),
    ),
    Mutant(
        "guard: an activation by its own route is an update of nothing",
        "ads_cli/client/writes.py",
        "    if update := update_of_activation(kind):\n",
        "    if False and (update := update_of_activation(kind)):\n",
        (f"{ACTIVATE}::test_the_guard_judges_the_route_as_an_activation",),
    ),
    Mutant(
        "guard: an estimate is refused as a change",
        "ads_cli/api/endpoint.py",
        "return self.mutates and not self.reads_only\n",
        "return self.mutates\n",
        ("tests/client/test_every_write.py::test_what_asks_by_post_passes_every_guard",),
    ),
    Mutant(
        "guard: each task of a fleet counts for itself",
        "ads_cli/client/guard.py",
        "if (total := sum(counts.values())) <= limit.value:",
        "if (total := counts[task]) <= limit.value:",
        ("tests/client/test_guard.py::test_the_tasks_of_a_fleet_count_together",),
    ),
    Mutant(
        "fleet: a token that the service refuses is not found",
        "ads_cli/fleet/check.py",
        "                    ask(settings)\n",
        "                    pass\n",
        (f"{SIGNED_OUT}::test_a_revoked_token_is_found_and_its_tasks_are_left_out",),
    ),
    Mutant(
        "revoking the bearer token of the environment removes another stored one",
        "ads_cli/commands/auth/__init__.py",
        "if stored and stored.value == token:",
        "if stored:",
        ("tests/auth/test_signin.py::test_a_revoked_bearer_token_of_the_environment_leaves_the_stored_one",),
    ),
    Mutant(
        "of several profiles the first error is the result",
        "ads_cli/commands/auth/__init__.py",
        "if first is None or (isinstance(error, AccessError) and not isinstance(first, AccessError)):",
        "if first is None:",
        ("tests/commands/auth/test_status.py::test_of_several_errors_that_of_a_refused_token_is_the_result",),
    ),
)
