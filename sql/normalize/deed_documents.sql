-- A recorded deed on one parcel, known from the recorder's document, the assessor's sale, or a changed owner.
-- grain: county_fips, document_number, parcel_number
-- in: normal.deed_properties, normal.owner_changes, normal.sales, reference.counties, reference.sale_reasons, staging.deeds, staging.past_deeds
-- by: county_fips
--   reference.counties: whole
--   reference.sale_reasons: whole
with

statements as (
    select *, false as is_past from staging.deeds
    union all by name
    select *, true as is_past from staging.past_deeds
),

-- A later version of the same document (recorded again, voided) replaces the earlier one.
latest as (
    select * from statements
    where not is_past
    qualify row_number() over (
        partition by county_fips, document_id order by as_of_on desc nulls last, record_key desc
    ) = 1
),

-- A void may lack the facts of the deed. Then they are taken from the last version that was not void.
before_void as (
    select * from statements
    where not coalesce(is_void, false) and event_type is not null
    qualify row_number() over (
        partition by county_fips, document_id order by is_past, as_of_on desc nulls last, record_key desc
    ) = 1
),

deeds as (
    select
        latest.county_fips,
        latest.document_id,
        coalesce(before_void.instrument_number, latest.instrument_number) as instrument_number,
        coalesce(before_void.event_type, latest.event_type) as event_type,
        coalesce(before_void.document_text, latest.document_text) as document_text,
        coalesce(before_void.recorded_on, latest.recorded_on) as recorded_on,
        coalesce(before_void.instrument_on, latest.instrument_on) as instrument_on,
        coalesce(before_void.consideration_usd, latest.consideration_usd) as consideration_usd,
        coalesce(before_void.transfer_tax_usd, latest.transfer_tax_usd) as transfer_tax_usd,
        coalesce(latest.is_void, false) as is_void,
        case when latest.is_void and before_void.document_id is not null then coalesce(latest.as_of_on, latest.recorded_on) end
            as voided_on,
        -- A sealed, confidential or expunged deed keeps its type and dates, and loses all names.
        coalesce(latest.is_void and latest.event_type is not null, false) as is_withheld,
        latest.source_id,
        latest.file_id,
        latest.line_number,
    from latest
    left join before_void on latest.county_fips = before_void.county_fips and latest.document_id = before_void.document_id
    -- Leaves out voids of documents that were never known as deeds, because such a document may be a mortgage.
    where latest.event_type is not null or before_void.document_id is not null
),

recorded as (
    select
        deeds.county_fips,
        document_number(deeds.document_id) as document_number,
        coalesce(properties.parcel_number, '') as parcel_number,
        deeds.document_id,
        properties.property_id,
        properties.address_id,
        properties.legal_description,
        deeds.event_type,
        deeds.document_text,
        deeds.recorded_on,
        deeds.instrument_on,
        deeds.consideration_usd,
        deeds.transfer_tax_usd,
        deeds.is_void,
        deeds.voided_on,
        deeds.is_withheld,
        deeds.source_id,
        deeds.file_id,
        deeds.line_number,
        coalesce(sales.sale_number, by_number.sale_number) as sale_number,
        coalesce(sales.price_usd, by_number.price_usd) as price_usd,
        coalesce(sales.qualification_code, by_number.qualification_code) as qualification_code,
        coalesce(sales.qualification_text, by_number.qualification_text) as qualification_text,
    from deeds
    left join normal.deed_properties as properties
        on deeds.document_id = properties.document_id and deeds.county_fips = properties.county_fips
    left join normal.sales as sales
        on
            deeds.county_fips = sales.county_fips
            and properties.parcel_number = sales.parcel_number
            and deeds.instrument_number = sales.sale_number
    left join normal.sales as by_number
        on
            deeds.county_fips = by_number.county_fips
            and properties.parcel_number = by_number.parcel_number
            and document_number(deeds.document_id) = by_number.sale_number
),

sold as (
    select
        sales.county_fips,
        sales.sale_number as document_number,
        sales.parcel_number,
        sales.property_id,
        sales.sold_on,
        coalesce(sales.sold_on_precision, 'day') as sold_on_precision,
        sales.price_usd,
        sales.qualification_code,
        sales.qualification_text,
        sales.source_id,
        sales.file_id,
        sales.line_number,
    from normal.sales as sales
    anti join recorded using (county_fips, parcel_number, sale_number)
),

-- Counties whose assessor publishes no sales. Only there, a changed owner is evidence of a deed.
counties_without_sales as (
    select county_fips from reference.counties
    anti join (select distinct county_fips from normal.sales) using (county_fips)
),

-- A county may publish deeds without parties. Then a changed owner and a deed of about the same time are one event.
recorded_days as (
    select county_fips, parcel_number, recorded_on, document_number
    from recorded
),

changed as (
    select changes.*, reference.counties.state
    from normal.owner_changes as changes
    semi join counties_without_sales using (county_fips)
    inner join reference.counties using (county_fips)
    where reference.counties.state = 'TX'
),

unlisted as (
    select changed.*
    from changed
    left join recorded_days
        on
            changed.county_fips = recorded_days.county_fips
            and changed.parcel_number = recorded_days.parcel_number
            and recorded_days.recorded_on > changed.past_on - 400
    where recorded_days.document_number is null
)

select
    county_fips,
    document_number,
    parcel_number,
    document_id,
    property_id,
    address_id,
    legal_description,
    event_type,
    document_text,
    recorded_on,
    case when recorded_on is not null then 'day' end as recorded_on_precision,
    instrument_on,
    consideration_usd,
    transfer_tax_usd,
    is_void,
    voided_on,
    is_withheld,
    price_usd,
    qualification_code,
    qualification_text,
    'recorder' as told_by,
    source_id,
    file_id,
    line_number,
from recorded
union all
select
    county_fips,
    document_number,
    parcel_number,
    null,
    property_id,
    null,
    null,
    -- A sale with an unknown qualification code may be any kind of deed.
    coalesce(reasons.event_type, case when qualification_code is null then 'deed.transfer' else 'deed.other' end),
    'Sale',
    sold_on,
    case when sold_on is not null then sold_on_precision end,
    null,
    null,
    null,
    false,
    null,
    false,
    price_usd,
    qualification_code,
    qualification_text,
    'assessor',
    source_id,
    file_id,
    line_number,
from sold
left join reference.counties as counties using (county_fips)
left join reference.sale_reasons as reasons using (state, qualification_code)
union all
select
    county_fips,
    coalesce(deed_number, 'owner-change-' || changed_on::varchar),
    parcel_number,
    null,
    property_id,
    null,
    null,
    'deed.transfer',
    'Change of owner',
    changed_on,
    changed_on_precision,
    deed_on,
    null,
    null,
    false,
    null,
    false,
    null,
    null,
    null,
    'roll',
    source_id,
    file_id,
    line_number,
from unlisted
