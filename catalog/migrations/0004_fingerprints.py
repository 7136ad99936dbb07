"""A price gets the fingerprint by which an equal one is found, and an import its share in the hash of a release."""

from itertools import islice

from django.db import migrations, models

from catalog.records import PriceRow
from catalog.release import NOTHING, fingerprint, tally

_FIELDS = (
    "provider",
    "instance",
    "region",
    "zone",
    "accelerator",
    "count",
    "option",
    "amount",
    "currency",
    "source",
    "vcpus",
    "memory_gib",
    "confidence",
    "valid_from",
)
_AT_ONCE = 1000


def _fill(apps, schema_editor):
    prices = apps.get_model("catalog", "PriceObservation").objects
    for batch in apps.get_model("catalog", "ImportBatch").objects.all():
        columns = prices.filter(batch=batch).values_list("pk", "observed_on", *_FIELDS)
        marks, newest = {}, None
        for pk, day, *values in columns.iterator(chunk_size=_AT_ONCE):
            marks[pk] = fingerprint(PriceRow(date=day, **dict(zip(_FIELDS, values, strict=True))))
            newest = max(newest or day, day)
        rows = iter(marks.items())
        while part := [prices.model(pk=pk, fingerprint=mark) for pk, mark in islice(rows, _AT_ONCE)]:
            prices.bulk_update(part, ["fingerprint"], batch_size=200)
        batch.tally, batch.newest_on = tally(marks.values()), newest
        batch.save(update_fields=["tally", "newest_on"])


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_team_entries")]

    operations = [
        migrations.AddField(
            "importbatch",
            "tally",
            models.BinaryField(default=NOTHING, help_text="The share of its prices in the hash of a release."),
        ),
        migrations.AddField(
            "importbatch",
            "newest_on",
            models.DateField(editable=False, help_text="Day of its newest price.", null=True),
        ),
        migrations.AddField(
            "priceobservation",
            "fingerprint",
            models.BinaryField(default=b"", help_text="Equal prices have equal ones.", max_length=32),
            preserve_default=False,
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.AddIndex(
            "priceobservation",
            models.Index(fields=["fingerprint", "batch"], name="catalog_price_fingerprint"),
        ),
    ]
