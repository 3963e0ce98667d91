-- A change of a deed on one parcel after its first publication: the recorder voided or changed the document.
-- grain: county_fips, document_number, parcel_number, correction
-- in: normal.deed_documents, staging.past_deeds
-- by: county_fips
with

deeds as (
    select * from normal.deed_documents where told_by = 'recorder'
),

voided as (
    select
        county_fips,
        document_number,
        parcel_number,
        'void' as correction,
        voided_on as corrected_on,
        'voids the document' as correction_text,
    from deeds
    where voided_on is not null
),

-- Only the last change of a document counts, because earlier ones were published as events of earlier runs.
before as (
    select * from staging.past_deeds
    where not coalesce(is_void, false) and event_type is not null
    qualify row_number() over (
        partition by county_fips, document_id order by superseded_on desc, as_of_on desc, record_key desc
    ) = 1
),

compared as (
    select
        deeds.county_fips,
        deeds.document_number,
        deeds.parcel_number,
        before.superseded_on,
        concat_ws(
            ', ',
            case when deeds.event_type is distinct from before.event_type then 'the kind of document' end,
            case when deeds.recorded_on is distinct from before.recorded_on then 'the recorded date' end,
            case when deeds.instrument_on is distinct from before.instrument_on then 'the instrument date' end,
            case when deeds.consideration_usd is distinct from before.consideration_usd then 'the consideration' end
        ) as changes,
    from deeds
    inner join before on deeds.document_id = before.document_id and deeds.county_fips = before.county_fips
    where not deeds.is_void
)

select
    county_fips,
    document_number,
    parcel_number,
    correction,
    corrected_on,
    correction_text,
from voided
union all
select
    county_fips,
    document_number,
    parcel_number,
    'change-' || superseded_on::varchar,
    superseded_on,
    'changes ' || changes || ' of the document',
from compared
where changes <> ''
