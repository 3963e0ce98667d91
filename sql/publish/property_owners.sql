-- A present owner of a property: a person or a business.
-- grain: property_id, owner_sequence
-- in: link.person_mentions, normal.organisation_mentions, normal.person_mentions
-- by: property_id
--   normal.person_mentions: property_id, not null
--   normal.organisation_mentions: property_id, not null
--   link.person_mentions: mention_key in mention_key of normal.person_mentions
with

owners as (
    select
        mentions.property_id,
        assigned.person_id,
        null::varchar as business_id,
        mentions.display_name as owner_name,
        'individual' as owner_type,
        mentions.party_sequence,
        mentions.record_key,
        mentions.person_sequence,
    from normal.person_mentions as mentions
    inner join link.person_mentions as assigned using (mention_key)
    where mentions.mention_kind = 'owner' and not mentions.is_past and mentions.property_id is not null
    union all
    select
        property_id,
        null,
        business_id,
        organisation,
        case
            when kind in ('trust', 'estate') then 'trust'
            when kind = 'government' then 'government'
            when kind = 'unknown' then 'unknown'
            else 'business'
        end,
        party_sequence,
        record_key,
        0,
    from normal.organisation_mentions
    where mention_kind = 'owner' and not is_past and property_id is not null
),

-- An owner on two lines of a roll is one owner.
distinct_owners as (
    select * from owners
    qualify row_number() over (
        partition by property_id, coalesce(person_id, business_id)
        order by party_sequence nulls last, record_key, person_sequence
    ) = 1
)

select
    property_id,
    row_number() over (
        partition by property_id order by party_sequence nulls last, record_key, person_sequence, person_id, business_id
    )::integer as owner_sequence,
    person_id,
    business_id,
    owner_name,
    owner_type,
from distinct_owners
