-- A recorded mortgage on a property.
-- grain: property_id, document_id
-- in: normal.deed_properties, normal.name_dictionary, normal.named_records, staging.mortgages
-- by: county_fips
--   normal.name_dictionary: name_key in name_key of normal.named_records
with

documents as (
    select
        county_fips,
        document_id,
        max(instrument_number) as instrument_number,
        max(loan_type) as loan_type,
        max(amount_usd) as amount_usd,
        max(recorded_on) as recorded_on,
        max(document_on) as document_on,
    from staging.mortgages
    group by county_fips, document_id
),

-- The lender is the grantee of a mortgage.
lenders as (
    select
        records.county_fips,
        records.document_id,
        arg_min(
            coalesce(names.organisation, string_split(names.text, chr(31))[2]),
            (records.party_sequence, records.mention_base)
        ) as lender_name,
    from normal.named_records as records
    inner join normal.name_dictionary as names using (name_key)
    where records.mention_kind = 'grantee'
    group by records.county_fips, records.document_id
),

secured as (
    select county_fips, document_id, property_id from normal.deed_properties
    where property_id is not null
)

select
    secured.property_id,
    documents.document_id,
    documents.amount_usd as amount,
    documents.recorded_on as recorded_date,
    documents.document_on as document_date,
    coalesce(documents.instrument_number, document_number(documents.document_id)) as document_number,
    lenders.lender_name,
    documents.loan_type,
    row_number() over (
        partition by secured.property_id
        order by documents.recorded_on desc nulls last, documents.document_id desc
    )::integer as position,
    null::date as due_date,
from documents
inner join secured using (county_fips, document_id)
left join lenders using (county_fips, document_id)
