"""Imports get a public id, a review and a publication; prices tell the day seen from the day valid."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import catalog.models


def give_ids(apps, schema_editor):
    for batch in apps.get_model("catalog", "ImportBatch").objects.all():
        batch.public_id = catalog.models.batch_id()
        batch.found = batch.prices
        batch.save(update_fields=["public_id", "found"])


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("catalog", "0001_catalog"),
    ]

    operations = [
        migrations.AddField("importbatch", "public_id", models.CharField(default="", editable=False, max_length=32)),
        migrations.AddField(
            "importbatch", "found", models.PositiveIntegerField(default=0, help_text="Prices in the file.")
        ),
        migrations.RunPython(give_ids, migrations.RunPython.noop),
        migrations.AlterField(
            "importbatch",
            "public_id",
            models.CharField(default=catalog.models.batch_id, editable=False, max_length=32, unique=True),
        ),
        migrations.AlterField(
            "importbatch",
            "prices",
            models.PositiveIntegerField(default=0, help_text="Prices of the file that were not known already."),
        ),
        migrations.AlterField(
            "importbatch",
            "status",
            models.CharField(
                choices=[
                    ("draft", "Draft"),
                    ("validated", "Validated"),
                    ("published", "Published"),
                    ("replaced", "Replaced"),
                    ("rolled_back", "Rolled back"),
                    ("discarded", "Discarded"),
                ],
                default="draft",
                max_length=12,
            ),
        ),
        migrations.AddField(
            "importbatch",
            "refusals",
            models.JSONField(default=list, help_text="The first refusals: [line, reason, text]."),
        ),
        migrations.AddField(
            "importbatch",
            "flags",
            models.JSONField(default=list, help_text="What a reviewer should look at: [reason, text]."),
        ),
        migrations.AddField(
            "importbatch",
            "entries",
            models.JSONField(default=dict, help_text="Facts that came with it: kind → slug → facts as in Entry."),
        ),
        migrations.AddField(
            "importbatch",
            "made_by",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField("importbatch", "published_at", models.DateTimeField(blank=True, editable=False, null=True)),
        migrations.RemoveIndex("priceobservation", "catalog_price_accelerator"),
        migrations.RenameField("priceobservation", "valid_from", "observed_on"),
        migrations.AlterField(
            "priceobservation", "observed_on", models.DateField(help_text="Its age counts from this day.")
        ),
        migrations.AddField(
            "priceobservation",
            "valid_from",
            models.DateField(blank=True, help_text="Since when, where the source says so.", null=True),
        ),
        migrations.AddIndex(
            "priceobservation",
            models.Index(fields=["accelerator", "option", "-observed_on"], name="catalog_price_accelerator"),
        ),
    ]
