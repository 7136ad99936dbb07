"""What the assumptions about money, failures, data and the choice rest on, by their ids; what several share by a word of its own."""

from collections.abc import Mapping

ASSUMED: Mapping[str, str] = {
    "origin.carbon.embodied_kg_per_device": "NVIDIA HGX H100 footprint 1,312 kg / 8; A100 about 150 kg (BLOOM paper)",
    "origin.carbon.grid_drift": "Planning judgement: year-to-year change of national grids",
    "origin.carbon.life_hours": "Five years",
    "origin.carbon.load": "Epoch AI, training-cost-trends: 0.75 for training",
    "origin.carbon.power_factor": "DGX H100 10.2 kW / (8 × 0.7 kW); SemiAnalysis all-in 1.73 kW per H100",
    "origin.carbon.pue": "Hyperscalers 1.09–1.12, industry mean 1.58 (Uptime Institute 2023)",
    "origin.carbon.water_l_per_kwh": "Typical evaporative cooling 1.8 l/kWh; liquid or dry cooling 0–0.3",
    "origin.cost.balancer_usd_month": "Large clouds list about 0.0225 USD per hour plus capacity units (2025). Planning judgement, to "
    "be replaced by the team's own figure",
    "origin.cost.cross_usd_per_gb": "AWS, Google and Azure list 0.01–0.02 USD inside North America and Europe, 0.08 and more between "
    "continents (2025)",
    "origin.cost.cover_hours": "Nobody is counted where the request does not say in which hours somebody answers",
    "origin.cost.cover_managed_usd_month": "Nobody is counted where the request does not say in which hours somebody answers",
    "origin.cost.cover_standby_share": "Google pays 33 % of the usual rate for an answer within 30 minutes and 66 % within 5 "
    "(greatcircle.com, 30 April 2018); small companies pay about 10 % (blog.freira.dev, 27 August 2023)",
    "origin.cost.managed_24x7_usd_month": "AWS Enterprise Support lists at least 15,000 USD a month, Enterprise On-Ramp at least 5,500, "
    "both a share of the bill beyond that (atonementlicensing.com, read 2026-11-28); they answer for the platform, others for more",
    "origin.cost.managed_office_usd_month": "Assumed no dearer than AWS Enterprise On-Ramp, at least 5,500 USD a month around the clock "
    "(atonementlicensing.com, read 2026-11-28). Planning judgement, to be replaced by an offer",
    "origin.cost.gateway_usd_month": "Two instances of four processors at about 0.17 USD per hour (2025). Planning judgement, to be "
    "replaced by the team's own figure",
    "origin.cost.managed_premium": "10–25 % where a managed service is used; 0 without one",
    "origin.cost.managed_service_share": "SageMaker training instances list 15–25 % over plain ones; others 10–20 %",
    "origin.cost.monitoring_usd_month": "Hosted monitoring lists 15–23 USD per host, logs on top (2025). Planning judgement, to be "
    "replaced by the team's own figure",
    "origin.cost.spot_fallback_share": "Derived: with on-demand backup, measured savings are 27–84 % (Wu et al., NSDI 2024) where spot "
    "lists about 70 % less; none to six tenths of the hours were then not spot",
    "origin.cost.spread_spot": "Zones of one region differ up to fivefold in SkyPilot's AWS price file",
    "origin.data.bytes_per_lookup": "32-bit indices; the multi-hot set of MLPerf DLRM-DCNv2 takes 3.8 TB for 4.2 billion samples of 214 "
    "rows",
    "origin.data.bytes_per_sample": "ImageNet: 150 GB for 1.28 million images, 110 kB each",
    "origin.data.bytes_per_token": "Packed token ids: two bytes up to a vocabulary of 65,536, four beyond; raw English text about four",
    "origin.data.headroom": "Shuffles, restarts and checkpoints share the tier",
    "origin.data.kept_days": "Planning judgement: a week to upload and check, a week until the result is accepted",
    "origin.data.local_per_node": "3–7 GB/s per drive, two or more drives",
    "origin.data.media_worker": "About 150 ImageNet images of 110 kB per second and core",
    "origin.data.object_per_node": "1–12 GB/s per node, bound by its network card",
    "origin.data.object_usd_per_tb_month": "List price of the large clouds",
    "origin.data.parallel_per_node": "BLOOM 57.5 GB/s over 48 nodes; Lustre services 0.125–1 GB/s per TiB",
    "origin.data.parallel_usd_per_tb_month": "Managed Lustre: about 30 (archive) to 140 and more",
    "origin.data.raw_text": "Packed token ids, as frameworks read them, unless the request says 1",
    "origin.data.tokenised_per_cpu_s": "Planning judgement: fast tokenizers do 0.1 to 2 million tokens a second on one thread; measure "
    "your own",
    "origin.data.usd_per_cpu_hour": "Planning judgement: general-purpose instances on demand, by virtual processor",
    "origin.data.upload_bytes_per_s": "Planning judgement: a line of 1 Gbit/s, shared; 0.1 to 10 are usual",
    "origin.gate.days": "planning judgement: one working day where the approver knows of it; a board takes longer",
    "origin.gate.least_hours": "planning judgement: most providers bill by the second or minute, some by the hour; a new cluster is not "
    "up at once",
    "origin.gate.least_worth": "planning judgement: a second decision takes people’s time, and worth below one per cent is within the "
    "noise of draws",
    "origin.gate.load_hours": "planning judgement: the weights are loaded, the engine is warmed up, and some rates are held for minutes "
    "each",
    "origin.gate.steps": "planning judgement: compilation and the first tens of steps are left out; repeats of a step differ by 4.6–5.8 "
    "%",
    "origin.gate.undone": "whoever authorises a sum for work within its limits holds it to be worth that sum at least",
    "origin.incidents": "Assumed. Incident reports: Google Cloud 2025-06-12 (most regions within 3 h, the last 8 h), Azure wide-area "
    "network 2023-01-25 (5 h), Azure Front Door 2025-10-29 (8 h)",
    "origin.judgement.own_figure": "Planning judgement, to be replaced by the team's own figure",
    "origin.judgement.tables": "Planning judgement from published tables; measure your own",
    "origin.judgement.unpublished": "planning judgement: no provider publishes it",
    "origin.no_trend": "No trend is carried on: measured ones made the back-test worse. Range: fitted on {seen} of the shipped "
    "releases, 2021 to October 2026: docs/catalog.md",
    "origin.obtain.quote_days": "planning judgement",
    "origin.onprem.acceptance_months": "Planning judgement: weeks where the vendor installs (NVIDIA DGX SuperPOD FAQ)",
    "origin.onprem.busy_load": "Epoch AI, training-cost-trends (arXiv 2405.21015): 0.75 for training",
    "origin.onprem.desktop_lead_months": "Planning judgement: shops and makers deliver such computers in one to six weeks",
    "origin.onprem.desktops_per_fte": "Staffing ratios of office support: 60–100 with common software, 125 with standard software "
    "(Cappuccio, as quoted by practitioners)",
    "origin.onprem.disposal_per_rack_unit": "Cascade (2016): 0.38–0.59 USD/lb, 14–21 USD/U of a DGX H100; erasure on site by judgement",
    "origin.onprem.few_nodes_per_fte": "META Group (ZDNet Tech Update, 2002-02-11): 10 to 20 servers an administrator in most "
    "organisations, above 30 in few",
    "origin.onprem.freight_share": "Derived: 130 kg (DGX H100) by air, insured and brought in, about 1 %; all goods 6 % (OECD ITIC, "
    "1995–2014)",
    "origin.onprem.hosting_usd_per_kw_month": "Wholesale 80–150, cage 150–300 in public tables",
    "origin.onprem.idle_load": "mlsysim 0.3.0: idle is 30 % of the rating",
    "origin.onprem.install_per_rack_unit": "Rack 5–10 k and PDU 10–30 k per rack in public tables, 32 to 42 units of it in use",
    "origin.onprem.joined_desks": "Planning judgement: makers of such computers describe two to four joined ones (NVIDIA's user guide "
    "of DGX Spark, 2025), a room of an office feeds and cools some more; beyond that servers in racks are bought",
    "origin.onprem.lead_months": "Server lead times of 3–6 months; new power 12–36 months",
    "origin.onprem.life_years": "Book lives: Microsoft and Alphabet 6, Meta 5.5, Amazon 5–6 years",
    "origin.onprem.maintenance_share": "mlsysim 0.3.0: 5 % of the price per year",
    "origin.onprem.network_share": "Epoch AI, training-cost-trends (arXiv 2405.21015): interconnect is 19 % of cluster cost (0.19/0.81)",
    "origin.onprem.nodes_per_fte": "Planning judgement; sites of high-performance computing add one for about 250 processors, 125 nodes "
    "of two (Roskies and Zacharia, CTWatch Quarterly, May 2006)",
    "origin.onprem.pue": "New air-cooled 1.3, liquid 1.15, industry mean 1.58 (Uptime Institute 2023)",
    "origin.onprem.residual_share": "10 % at 5 years, which is 25 % at 3 years by constant decay",
    "origin.onprem.server_overhead": "Epoch AI, training-cost-trends (arXiv 2405.21015): A100 1.66, V100 1.69, P100 1.54",
    "origin.onprem.server_power_factor": "DGX H100 10.2 kW / (8 × 0.7 kW); SemiAnalysis all-in 1.73 kW per H100 is 2.5",
    "origin.onprem.software_per_device_year": "NVIDIA AI Enterprise lists 4,500 per GPU and year; most stacks need none",
    "origin.onprem.spares_share": "Practice of large clusters: 3–10 % more nodes than needed",
    "origin.onprem.transit_usd_year": "1 Gbit/s of dedicated internet access at 200–2,000 USD a month. Planning judgement, to be "
    "replaced by the team's own figure",
    "origin.onprem.usd_per_kwh": "US industry 0.077–0.083 (EIA 2024–2025), Europe 0.10–0.30",
    "origin.onprem.utilisation": "0.6 in enterprises, 0.8 where a cluster is well run (Meta RSC, arXiv 2410.21680, above 0.8)",
    "origin.price.own_server": "Eight moves of five sellers' prices of servers and accelerators in the shipped release, 2020 to July 2024: "
    "docs/catalog.md",
    "origin.price.undated_days": "Planning judgement, to be replaced by the day on which the team read it",
    "origin.releases": "Fitted on {seen} of the shipped releases, 2021 to October 2026: docs/catalog.md",
    "origin.reliability.asynchronous": "documented by Megatron-Core and NeMo, PyTorch distributed checkpoint, MaxText and Orbax, "
    "NeuronX Distributed; elsewhere training waits unless the request says 1",
    "origin.reliability.corruption_delay_h": "Planning judgement: an hour with replayed steps or checked gradients, a day where "
    "somebody has to see it in the loss",
    "origin.reliability.corruption_mtbf_h": "6 silent corruptions of 16,384 H100 in 54 days = 3.5 million hours each (Llama 3, arXiv "
    "2407.21783, table 5); Gemini: one every week or two on several pods of 4,096 chips (arXiv 2312.11805)",
    "origin.reliability.delta_share": "Check-N-Run (NSDI 2022) writes 6–17 times less for embedding tables; dense models change all of "
    "their state",
    "origin.reliability.device_mtbf_h": "Llama 3 Herd of Models (arXiv 2407.21783) §3.3.4: 327 hardware and 92 other interruptions of "
    "16,384 H100 in 54 days; range from RSC-1 and RSC-2, Kokolis et al., HPCA 2025 (arXiv 2410.21680)",
    "origin.reliability.device_to_host": "PCIe 5.0 ×16: 63 GB/s peak, 25–50 GB/s in practice",
    "origin.reliability.fleet": "New and research from RSC-1 and RSC-2, Kokolis et al., HPCA 2025 (arXiv 2410.21680); mature from Llama "
    "3",
    "origin.reliability.full_every": "Planning judgement: bounds what must be read after a failure",
    "origin.reliability.job_hazard_per_h": "Llama 3 Herd of Models (arXiv 2407.21783) §3.3.4: 327 hardware and 92 other interruptions "
    "of 16,384 H100 in 54 days; upper end Kokolis et al., HPCA 2025 (arXiv 2410.21680) at 1,024 GPUs",
    "origin.reliability.near_restart_s": "mlsysim 0.3.0: 60 s detection, 60–180 s warm-up; Gemini recovers more than 13 times faster "
    "than from storage",
    "origin.reliability.near_share": "Planning judgement: most failures take one node; software faults and lost racks take the copies, "
    "too",
    "origin.reliability.repair_h": "Planning judgement: same-day swap to next-week part",
    "origin.reliability.restart_s": "mlsysim 0.3.0 reliability model: 60 s detection, 60–180 s warm-up, 10–30 min node recovery",
    "origin.reliability.small_job_hazard_per_h": "Planning judgement: one in four days; the large end is measured, 70 automatic "
    "restarts of OPT-175B in two months on 992 GPUs lie on the way",
    "origin.reliability.spot_burst": "Planning judgement: independence is optimistic when capacity of a zone is withdrawn",
    "origin.reliability.spot_notice_s": "AWS 2 minutes; Google Cloud and Azure 30 seconds (provider documentation)",
    "origin.reliability.spot_reacquire_s": "Planning judgement: from minutes to hours, depends on region and hour",
    "origin.reliability.storage_write_cap": "Llama 3: 2 TB/s sustained over 7,500 servers",
    "origin.reliability.storage_write_per_node": "BLOOM: 2.3 TB in 40 s from 48 nodes = 1.2 GB/s per node; object stores 1–12 GB/s per "
    "node",
    "origin.reliability.two_level": "In-memory copies as in Gemini (SOSP 2023); needs host memory for two states and a framework that "
    "does it",
    "origin.select.capacity_known": "planning judgement: providers publish prices, not free capacity",
    "origin.select.confidence": "planning convention: the upper end of the 80 % band is the 90th percentile",
    "origin.select.fits": "planning convention: a run that does not fit does not start, so three of a hundred are left to it",
    "origin.select.near_equal": "below the noise of published step times (4.6–5.8 % between repeats); fewer are easier to get",
    "origin.select.patience": "planning convention: hardware and models age faster than that",
    "origin.select.programme": "planning convention: three years, the term of a long commitment; servers are written off in four to six",
    "origin.select.startup_h": "planning judgement; published warm-ups of serving replicas alone take 4–5 minutes (vLLM #19824, #44881)",
    "origin.standby.capacity": "Assumed: all customers of that site ask at the same hour. AWS throttled new instances on 2025-10-20",
    "origin.standby.detect_s": "Assumed: health checks every 10 to 30 s, two or three misses, and the time that names live in caches",
    "origin.standby.failover_s": "Assumed: somebody or something decides first, so that a short fault moves nothing; then names change",
    "origin.standby.maintenance_h": "Assumed: two windows of four hours. Google's documentation on host maintenance: instances with "
    "accelerators cannot be moved while they run and are stopped",
    "origin.standby.morning_capacity": "Assumed, no provider publishes it: on-demand accelerators of large regions are short for days "
    "at a time",
    "origin.standby.morning_h": "Assumed: others give theirs back, or another instance type is found",
    "origin.standby.site_outage_h": "Assumed, no provider publishes a rate. Post-mortems: AWS us-east-1 2021-12-07 (7 h), 2023-06-13 (3 "
    "h), 2025-10-20 (15 h); Google europe-west2 2022-07-19 (15 h), europe-west9 2023-04-26 (a day and more); Azure Australia East "
    "2023-08-30 (a day)",
    "origin.standby.site_outages_per_year": "Assumed, no provider publishes a rate. Post-mortems: AWS us-east-1 2021-12-07 (7 h), "
    "2023-06-13 (3 h), 2025-10-20 (15 h); Google europe-west2 2022-07-19 (15 h), europe-west9 2023-04-26 (a day and more); Azure "
    "Australia East 2023-08-30 (a day): the worst regions about one a year, most none in years",
}
"""`origin.` and an id, or the word that several share."""
