-- A phone of a person.
-- grain: person_id, phone
-- in: link.person_mentions, normal.person_mentions, published.phones
with

mentions as (
    select person_id, phone, observed_on, source_id, source_weight, is_past
    from normal.person_mentions
    inner join (select mention_number, person_id from link.person_mentions) as assigned using (mention_number)
    where phone is not null
),

newest as (
    select max(observed_on) as newest_on from mentions
),

seen as (
    select
        person_id,
        phone,
        max(observed_on) as last_seen_on,
        max(case when is_past then source_weight / 2 else source_weight end) as weight,
        count(distinct source_id) as source_count,
        bool_and(is_past) as is_past,
    from mentions
    group by person_id, phone
),

shared as (
    select *, count(*) over (partition by phone) as person_count from seen
),

scored as (
    select
        shared.*,
        -- Half the trust is gone after three years; two people to a number is a household, ten are a switchboard.
        100 * (
            0.35 * coalesce(pow(0.5, greatest(newest.newest_on - last_seen_on, 0) / 1096.0), 0)
            + 0.30 * weight
            + 0.15 * least(source_count, 3) / 3
            + 0.20 / pow(person_count, 0.5)
        ) * case when is_past then 0.5 else 1 end as score,
    from shared
    cross join newest
)

select
    scored.person_id,
    scored.phone,
    phones.line_type,
    round(scored.score)::integer as score,
    scored.last_seen_on,
from scored
left join published.phones using (phone)
