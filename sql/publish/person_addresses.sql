-- An address of a person, current or historical.
-- grain: person_id, address_id
-- in: link.person_mentions, normal.newest_mentions, normal.parcels, normal.person_mentions
-- by: person_id
--   normal.person_mentions: mention_key in mention_key of link.person_mentions
--   normal.parcels: property_id in property_id of normal.person_mentions
--   normal.newest_mentions: whole
with

mentions as (
    select person_id, mentions.*
    from normal.person_mentions as mentions
    inner join (select mention_key, person_id from link.person_mentions) as assigned using (mention_key)
),

homesteads as (
    select property_id, address_id from normal.parcels where is_homestead and address_id is not null
),

-- Home and mailing addresses. Work addresses are left out.
lived as (
    select person_id, address_id, observed_on, source_id, source_weight, is_past, mention_kind in ('voter', 'contact') as is_standing
    from mentions
    where address_id is not null and not is_work_address
    union all
    select person_id, mail_address_id, observed_on, source_id, source_weight * 0.9, is_past, mention_kind in ('owner', 'voter')
    from mentions
    where mail_address_id is not null and mention_kind not in ('provider', 'official')
    union all
    -- By law the owner of a homestead lives there.
    select mentions.person_id, homesteads.address_id, mentions.observed_on, mentions.source_id, mentions.source_weight, mentions.is_past, true
    from mentions
    inner join homesteads using (property_id)
    where mentions.mention_kind = 'owner'
),

newest as (
    select max(newest_address_on) as newest_on from normal.newest_mentions
),

seen as (
    select
        person_id,
        address_id,
        min(observed_on) as first_seen_on,
        max(observed_on) as last_seen_on,
        max(observed_on) filter (where not is_past) as last_current_on,
        max(observed_on) filter (where not is_past and is_standing) as last_standing_on,
        max(source_weight) as weight,
        count(distinct source_id) as source_count,
    from lived
    group by person_id, address_id
),

ranked as (
    select
        *,
        max(last_current_on) over (partition by person_id) as newest_current_on,
        row_number() over (
            partition by person_id
            order by last_current_on desc nulls last, last_standing_on desc nulls last, weight desc, source_count desc, address_id
        ) as place,
    from seen
),

settled as (
    select
        *,
        -- Current: the newest address, and other addresses that a voter roll, list or homestead gave within the
        -- year before it.
        last_current_on is not null and (
            place = 1 or coalesce(last_standing_on >= newest_current_on - 365, false)
        ) as is_current,
        -- Halves every four years.
        case when last_seen_on is null then 0 else pow(0.5, greatest(newest.newest_on - last_seen_on, 0) / 1461.0) end
            as recency,
    from ranked
    cross join newest
)

select
    person_id,
    address_id,
    is_current,
    round(
        100
        * (0.45 * recency + 0.35 * weight + 0.20 * least(source_count, 3) / 3)
        * case when is_current then 1 else 0.6 end
    )::integer as score,
    first_seen_on,
    last_seen_on,
from settled
