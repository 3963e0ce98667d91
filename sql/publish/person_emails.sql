-- An e-mail address of a person.
-- grain: person_id, email
-- in: link.person_mentions, normal.newest_mentions, normal.person_mentions
-- by: email
--   normal.person_mentions: email, not null
--   link.person_mentions: mention_key in mention_key of normal.person_mentions
--   normal.newest_mentions: whole
with

mentions as (
    select person_id, email, observed_on, source_id, source_weight, is_past
    from normal.person_mentions
    inner join (select mention_key, person_id from link.person_mentions) as assigned using (mention_key)
    where email is not null
),

newest as (
    select max(newest_email_on) as newest_on from normal.newest_mentions
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
)

select
    person_id,
    email,
    round(contact_score(newest_on, last_seen_on, weight, source_count, person_count, is_past))::integer as score,
    last_seen_on,
from shared
cross join newest
