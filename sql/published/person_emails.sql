-- An e-mail address of a person.
-- grain: person_id, email
-- in: link.person_mentions, normal.person_mentions
with

mentions as (
    select person_id, email, observed_on, source_id, source_weight, is_past
    from normal.person_mentions
    inner join (select mention_number, person_id from link.person_mentions) as assigned using (mention_number)
    where email is not null
),

newest as (
    select max(observed_on) as newest_on from mentions
),

seen as (
    select
        person_id,
        email,
        max(observed_on) as last_seen_on,
        max(case when is_past then source_weight / 2 else source_weight end) as weight,
        count(distinct source_id) as source_count,
        bool_and(is_past) as is_past,
    from mentions
    group by person_id, email
),

shared as (
    select *, count(*) over (partition by email) as person_count from seen
),

scored as (
    select
        shared.*,
        -- As for phones.
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
    person_id,
    email,
    round(score)::integer as score,
    last_seen_on,
from scored
