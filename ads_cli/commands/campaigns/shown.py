"""What commands about campaigns print."""

from ...console.shown import Result

CHANGES = Result("ads_cli.campaigns.plan:ChangeRecord")  # of a plan
