"""What the assumptions about money, failures, data, services and the choice mean."""

from collections.abc import Mapping

ASSUMPTIONS: Mapping[str, str] = {
    "assumption.carbon.embodied_kg_per_device": "Emissions of making one accelerator with its part of the board",
    "assumption.carbon.grid_drift": "How far the grid's intensity may differ from the year of the table",
    "assumption.carbon.life_hours": "Hours over which making the hardware is spread",
    "assumption.carbon.load": "Mean power while working, as a share of the server's maximum",
    "assumption.carbon.power_factor": "Maximum power of a server over the rated power of its accelerators",
    "assumption.carbon.pue": "Power usage effectiveness of the data centre",
    "assumption.carbon.water_l_per_kwh": "Water used on site for one kilowatt-hour of servers",
    "assumption.cost.balancer_usd_month": "Load balancer in front of a service",
    "assumption.cost.cover_hours": "Hours of a year for which people of one's own are paid to answer for a service; set by “hours covered”",
    "assumption.cost.cover_managed_usd_month": "Fee of whoever answers for a service instead; set by “hours covered”",
    "assumption.cost.cover_office_fte": "People who answer for a service in office hours, beside their other work",
    "assumption.cost.cover_standby_share": "What an hour of standing by beyond office hours costs, as a share of an hour of work; "
    "where a rotation answers for several services, the part of this one",
    "assumption.cost.managed_24x7_usd_month": "Usual fee of a managed service that answers around the clock",
    "assumption.cost.managed_office_usd_month": "Usual fee of a managed service that answers in office hours",
    "assumption.cost.cross_usd_per_gb": "Price of data that goes from one region of a provider to another",
    "assumption.cost.gateway_usd_month": "Gateway with keys and rate limits, on two small instances",
    "assumption.cost.managed_premium": "Surcharge of a managed training or serving service on the instances",
    "assumption.cost.managed_service_share": "Surcharge that is used when a plan asks for a managed scheduler or a vendor as operator",
    "assumption.cost.monitoring_usd_month": "Metrics, logs and alarms of one instance",
    "assumption.cost.platform_fte_share": "People that a rented cluster needs, as a share of those who run as much own hardware; "
    "said, not in the total",
    "assumption.cost.registry_usd_month": "Model and image registry, and a small cache",
    "assumption.cost.releases_per_month": "New versions of the weights that are copied to a second site in a month",
    "assumption.cost.spot_fallback_share": "Share of the hours of a job on spot instances that is paid on demand, because spot "
    "capacity is not there",
    "assumption.cost.spread_capacity_block": "How far capacity blocks of one day differ between begins and lengths; what time adds is "
    "price.*_block",
    "assumption.cost.spread_committed": "How far a committed or negotiated price differs from the list of the same day; what time "
    "adds is price.*",
    "assumption.cost.spread_on_demand": "How far what is paid on demand differs from the list of the same day; what time adds is "
    "price.*",
    "assumption.cost.spread_spot": "How far spot of one region differs between zones and hours of a day; what time adds is "
    "price.*_spot",
    "assumption.data.upload_bytes_per_s": "Bytes of training data that are uploaded each second",
    "assumption.data.kept_days": "Days for which rented storage keeps training data beside the hours of the work: uploaded and checked "
    "before it, and not removed before its result is accepted",
    "assumption.data.bytes_per_lookup": "Bytes read for each table row that a sample of a recommender looks up, where no dataset is "
    "described",
    "assumption.data.bytes_per_sample": "Bytes read for each sample of other models where no dataset is described",
    "assumption.data.bytes_per_token": "Bytes read for each token of training text where no dataset is described",
    "assumption.data.headroom": "Bandwidth that a tier should have over the mean need",
    "assumption.data.local_nvme_bytes": "Local NVMe of one node with eight accelerators where its system does not say",
    "assumption.data.local_per_node": "Read bandwidth of the local NVMe drives of one node",
    "assumption.data.media_worker": "Compressed images, sound or video that one loader worker decodes",
    "assumption.data.nfs_total": "Read bandwidth of one network file server, all nodes together",
    "assumption.data.nfs_usd_per_tb_month": "Price of a managed network file system",
    "assumption.data.object_per_node": "Read bandwidth of one node from object storage",
    "assumption.data.object_usd_per_tb_month": "Price of object storage",
    "assumption.data.parallel_per_node": "Read bandwidth of one node from a parallel file system",
    "assumption.data.parallel_usd_per_tb_month": "Price of a parallel file system",
    "assumption.data.raw_text": "1 when the training data is raw text that has to be tokenised first, 0 when it is token ids",
    "assumption.data.tokenised_per_cpu_s": "Tokens that one virtual processor makes of raw text in a second",
    "assumption.data.usd_per_cpu_hour": "Price of an hour of one virtual processor that tokenises",
    "assumption.data.token_worker": "Tokenised or packed data that one loader worker delivers",
    "assumption.gate.days": "days that a gate takes beside its hours: to get the accelerators, read the result, plan again and "
    "approve",
    "assumption.gate.least_hours": "hours that are paid at least for accelerators that are rented to measure",
    "assumption.gate.least_worth": "share of what is authorised that a gate must be worth to be proposed",
    "assumption.gate.load_hours": "hours of the load test of one replica, its start among them",
    "assumption.gate.steps": "steps that are timed on the planned layout before the money is released",
    "assumption.gate.undone": "what work that breaks its deadline or its budget is worth less, in multiples of what is authorised "
    "for it",
    "assumption.obtain.quota_days": "from asking a provider for a higher limit to having it",
    "assumption.obtain.quote_days": "from a request for quotation to the answers",
    "assumption.obtain.reserve_days": "from asking a provider to keep accelerators free to its answer",
    "assumption.onprem.acceptance_months": "From delivery to acceptance, the last part of the time from order to first job",
    "assumption.onprem.busy_load": "Power while computing, as a share of the server's maximum",
    "assumption.onprem.desktop_lead_months": "From the order of computers for a desk to their first job",
    "assumption.onprem.joined_desks": "Computers on desks that work on one run together at most",
    "assumption.onprem.desktops_per_fte": "Computers on desks that one person looks after",
    "assumption.onprem.disposal_per_rack_unit": "Removal of a server and erasure of its drives, tax included, by rack unit",
    "assumption.onprem.few_nodes_per_fte": "Servers that one person runs where there are few",
    "assumption.onprem.freight_share": "Freight and transport insurance, as a share of the hardware",
    "assumption.onprem.hosted": "1 when the servers stand in rented space, 0 in a room of one's own",
    "assumption.onprem.hosting_usd_per_kw_month": "Rented data-centre space with power, per kilowatt committed",
    "assumption.onprem.idle_load": "Power while idle, as a share of the server's maximum",
    "assumption.onprem.install_per_rack_unit": "Rack, power and installation of a server, by rack unit",
    "assumption.onprem.lead_months": "From order to first job",
    "assumption.onprem.least_fte": "Least staff of a cluster; of fewer servers, their share of it",
    "assumption.onprem.life_years": "Useful life of the hardware",
    "assumption.onprem.maintenance_share": "Support and repair per year, as a share of the servers",
    "assumption.onprem.network_share": "Cluster network, as a share of the servers",
    "assumption.onprem.nodes_per_fte": "Nodes that one person runs in a large cluster",
    "assumption.onprem.pue": "Power usage effectiveness of the room",
    "assumption.onprem.residual_share": "Resale value after the useful life, as a share of the purchase",
    "assumption.onprem.server_overhead": "Price of a server over the price of its accelerators",
    "assumption.onprem.server_power_factor": "Maximum power of a server over the rated power of its accelerators",
    "assumption.onprem.software_per_device_year": "Licensed software per accelerator and year",
    "assumption.onprem.spares_share": "Spare nodes and parts, as a share of the servers",
    "assumption.onprem.storage_share": "Storage, as a share of the servers",
    "assumption.onprem.storage_usd_per_tb": "Purchase of one usable terabyte of shared flash storage, where the share of the servers "
    "does not pay for enough",
    "assumption.onprem.storage_usd_per_tb_month": "Power, support and replacement of one terabyte of storage that is there already",
    "assumption.onprem.transit_usd_year": "Internet connection of the site: port and traffic, per year",
    "assumption.onprem.usd_per_fte": "Loaded yearly cost of one person who runs the cluster",
    "assumption.onprem.usd_per_kwh": "Electricity tariff",
    "assumption.onprem.utilisation": "Share of all hours in which bought hardware is used, where a request states none and the work "
    "is no service",
    "assumption.onprem.wacc": "Cost of capital per year",
    "assumption.price.own_server": "How far the price of a server that is bought moves in a year (standard deviation of the logarithm; "
    "grows with the root of time)",
    "assumption.price.drift_block": "Trend of capacity blocks of AWS: what a year is expected to add to them",
    "assumption.price.drift_committed": "Trend of commitments of AWS, Azure and Google: what a year is expected to add to them",
    "assumption.price.drift_large": "Trend of on-demand lists of AWS, Azure, Google and Oracle: what a year is expected to add to "
    "them",
    "assumption.price.drift_list": "Trend of on-demand lists of smaller clouds: what a year is expected to add to them",
    "assumption.price.drift_spot": "Trend of spot prices: what a year is expected to add to them",
    "assumption.price.market_block": "How far the market moves capacity blocks of AWS in a year (standard deviation of the logarithm; "
    "grows with the root of time)",
    "assumption.price.market_committed": "How far the market moves commitments of AWS, Azure and Google in a year (standard deviation "
    "of the logarithm; grows with the root of time)",
    "assumption.price.market_large": "How far the market moves on-demand lists of AWS, Azure, Google and Oracle in a year (standard "
    "deviation of the logarithm; grows with the root of time)",
    "assumption.price.market_list": "How far the market moves on-demand lists of smaller clouds in a year (standard deviation of the "
    "logarithm; grows with the root of time)",
    "assumption.price.market_spot": "How far the market moves spot prices in a year (standard deviation of the logarithm; grows with "
    "the root of time)",
    "assumption.price.own_block": "How far a seller alone moves capacity blocks of AWS in a year (standard deviation of the "
    "logarithm; grows with the root of time)",
    "assumption.price.own_committed": "How far a seller alone moves commitments of AWS, Azure and Google in a year (standard "
    "deviation of the logarithm; grows with the root of time)",
    "assumption.price.own_large": "How far a seller alone moves on-demand lists of AWS, Azure, Google and Oracle in a year (standard "
    "deviation of the logarithm; grows with the root of time)",
    "assumption.price.own_list": "How far a seller alone moves on-demand lists of smaller clouds in a year (standard deviation of the "
    "logarithm; grows with the root of time)",
    "assumption.price.own_spot": "How far a seller alone moves spot prices in a year (standard deviation of the logarithm; grows with "
    "the root of time)",
    "assumption.price.undated_days": "Age that a price without a date is taken to have",
    "assumption.reliability.asynchronous": "1 when checkpoints are written in the background, 0 when training waits; unset, it "
    "waits only for frameworks without such a writer",
    "assumption.reliability.corruption_delay_h": "Time until it is noticed that an accelerator computes wrong; what was trained since is "
    "thrown away",
    "assumption.reliability.corruption_mtbf_h": "Mean time between silent corruptions of one accelerator",
    "assumption.reliability.delta_share": "Share of the state that a differential checkpoint writes; 1 = every checkpoint is a full "
    "one",
    "assumption.reliability.device_mtbf_h": "Mean time between hardware failures of one accelerator",
    "assumption.reliability.device_to_host": "Copy from one accelerator to host memory",
    "assumption.reliability.fleet": "Preset of failure rates: 0 = as listed here, 1 = new fleet, 2 = mature fleet, 3 = research "
    "cluster",
    "assumption.reliability.full_every": "With differential checkpoints, every how manieth is a full one",
    "assumption.reliability.job_hazard_per_h": "Interruptions of a large job (1,024 accelerators or more) by software, configuration "
    "and operators",
    "assumption.reliability.near_restart_s": "Detection, replacement and warm-up after a failure that recovers from another node's "
    "memory",
    "assumption.reliability.near_share": "Share of failures after which the copy in another node's memory is still there",
    "assumption.reliability.repair_h": "Time until a failed node is back in service",
    "assumption.reliability.restart_s": "Detection, rescheduling and warm-up after a failure, without loading the checkpoint",
    "assumption.reliability.small_job_hazard_per_h": "Interruptions of a job on one node by software, configuration and operators; "
    "they grow with the logarithm of its size",
    "assumption.reliability.spot_burst": "Spot instances are reclaimed together: factor on the independent rate",
    "assumption.reliability.spot_notice_s": "Notice before a spot instance is taken",
    "assumption.reliability.spot_reacquire_s": "Wait for a replacement of a reclaimed spot instance",
    "assumption.reliability.storage_write_cap": "Write bandwidth of the whole shared storage",
    "assumption.reliability.storage_write_per_node": "Checkpoint write bandwidth of one node to shared storage",
    "assumption.reliability.two_level": "1 when the state is copied to the memory of another node as well, from which most failures "
    "recover; 0 without",
    "assumption.select.capacity_known": "accelerators of one kind that a provider usually has free; beyond it a plan asks for "
    "confirmation",
    "assumption.select.confidence": "chance with which a recommended plan must keep all its limits together; `confidence` of the "
    "request sets it",
    "assumption.select.fits": "chance with which a run must fit into memory; `confidence.memory` of the request sets it",
    "assumption.select.near_equal": "difference in cost below which two options count as equal, so that the smaller may lead",
    "assumption.select.patience": "longest that a single run may last to be recommended, of however many the programme has",
    "assumption.select.programme": "longest that several runs and experiments may take together to be recommended; a longer stated "
    "horizon holds",
    "assumption.select.startup_h": "from the first paid minute to the first step: boot, image, weights, data, compilation",
    "assumption.service.bytes_per_answer": "bytes sent to users for each answer of other models that write no text: a label, a score, "
    "a transcript",
    "assumption.service.bytes_per_picture": "bytes sent to users for each picture that a diffusion model makes",
    "assumption.service.bytes_per_token": "bytes of text sent to users for each output token, framing included",
    "assumption.service.bytes_per_vector": "bytes sent to users for each text that an encoder reads",
    "assumption.service.months": "months of service that a plan is costed for when no horizon is given",
    "assumption.standby.capacity": "Chance that replicas which do not stand yet can be had at a site while another one is down",
    "assumption.standby.detect_s": "Until no more requests are sent to a site that is down, where both sites serve",
    "assumption.standby.failover_s": "Until a site that stands by takes the traffic of one that is down",
    "assumption.standby.maintenance_h": "Planned maintenance of a host: drained first, one host at a time",
    "assumption.standby.morning_capacity": "Chance that capacity which was given back at night is there in the morning, rented by the "
    "hour",
    "assumption.standby.morning_h": "Until missing capacity is there on such a morning",
    "assumption.standby.provider_outage_h": "Mean length of an outage of a provider",
    "assumption.standby.provider_outages_per_year": "Outages of a provider that stop the replicas at all its sites at once",
    "assumption.standby.site_outage_h": "Mean length of an outage of a site",
    "assumption.standby.site_outages_per_year": "Outages of a whole site, a zone or a region, that stop running replicas",
}
"""By their ids. Those of an id that is gone stay: plans name it."""
