-- The day of a recorded document (deed or mortgage): the recording date, or the signing date without it.
-- grain: county_fips, document_id
-- in: staging.deeds, staging.mortgages
-- by: document_id
with

documents as (
    select county_fips, document_id, coalesce(recorded_on, instrument_on) as dated_on from staging.deeds
    union all
    select county_fips, document_id, coalesce(recorded_on, document_on) as dated_on from staging.mortgages
)

select
    county_fips,
    document_id,
    max(dated_on) as dated_on,
from documents
where document_id is not null
group by county_fips, document_id
