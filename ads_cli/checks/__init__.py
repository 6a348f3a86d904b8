"""Rules about an account: what is wrong with it, and whether the budget will be spent.

A rule is one class (`rule.py`), in the module of its subject. It looks at `Facts` (`facts.py`), which are
read from a `Source` once, when the first rule needs them.
`registry.py` has all rules, and `run.py` applies them.
"""
