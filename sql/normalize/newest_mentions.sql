-- The newest dates of a file's mentions with an address, a phone, an e-mail address, or a phone of an unknown name. Scores
-- fall with the time before the newest date of all files.
-- grain: file_id
-- in: normal.parcels, normal.person_mentions, normal.unnamed_phones
-- by: file_id
--   normal.parcels: property_id in property_id of normal.person_mentions
with

homesteads as (
    select property_id from normal.parcels where is_homestead and address_id is not null
),

dated as (
    select
        mentions.file_id,
        mentions.observed_on,
        -- The addresses of sql/publish/person_addresses.sql.
        (mentions.address_id is not null and not mentions.is_work_address)
        or (mentions.mail_address_id is not null and mentions.mention_kind not in ('provider', 'official'))
        or (mentions.mention_kind = 'owner' and homesteads.property_id is not null) as has_address,
        mentions.phone is not null as has_phone,
        mentions.email is not null as has_email,
        false as has_name,
    from normal.person_mentions as mentions
    left join homesteads using (property_id)
    union all
    select file_id, observed_on, false, false, false, true from normal.unnamed_phones
)

select
    file_id,
    max(observed_on) filter (where has_address) as newest_address_on,
    max(observed_on) filter (where has_phone) as newest_phone_on,
    max(observed_on) filter (where has_email) as newest_email_on,
    max(observed_on) filter (where has_name) as newest_name_on,
from dated
group by file_id
