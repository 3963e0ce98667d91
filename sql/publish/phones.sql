-- A phone number of a person or business.
-- grain: phone
-- in: normal.organisation_mentions, normal.person_mentions, normal.phone_dictionary, staging.operating_companies, staging.phone_blocks
-- by: phone
--   normal.person_mentions: phone, not null
--   normal.organisation_mentions: phone, not null
--   normal.phone_dictionary: phone, not null
--   staging.operating_companies: whole
--   staging.phone_blocks: whole
with

used as (
    select phone from normal.person_mentions where phone is not null
    union
    select phone from normal.organisation_mentions where phone is not null
),

formatted as (
    select phone, min(national_format) as national_format, bool_or(is_toll_free) as is_toll_free
    from normal.phone_dictionary
    group by phone
),

companies as (
    select
        operating_company_number,
        max(company_name) as company_name,
        max(line_type) as line_type,
    from staging.operating_companies
    group by operating_company_number
),

blocks as (
    select
        area_code || exchange || coalesce(thousands_digit, '') as prefix,
        arg_max(coalesce(companies.company_name, carrier), (as_of_on, record_key)) as carrier,
        arg_max(coalesce(phone_blocks.line_type, companies.line_type), (as_of_on, record_key)) as line_type,
    from staging.phone_blocks
    left join companies using (operating_company_number)
    group by prefix
)

select
    used.phone,
    formatted.national_format,
    case
        when formatted.is_toll_free then 'tollfree'
        else coalesce(pooled.line_type, whole.line_type, 'unknown')
    end as line_type,
    case when not formatted.is_toll_free then coalesce(pooled.carrier, whole.carrier) end as carrier,
from used
left join formatted using (phone)
left join blocks as pooled on substr(used.phone, 2, 7) = pooled.prefix
left join blocks as whole on substr(used.phone, 2, 6) = whole.prefix
