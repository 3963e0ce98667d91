-- A parcel of a recorded document with the address that the document has for it.
-- grain: county_fips, document_id, parcel_number
-- in: normal.parcel_places, staging.deed_parcels, staging.past_deed_parcels
-- by: county_fips
with

-- A void lists no parcels, so those of the voided document are used.
stated as (
    select * from staging.deed_parcels
    union all by name
    select past.* exclude (superseded_on)
    from staging.past_deed_parcels as past
    anti join staging.deed_parcels as present
        on past.document_id = present.document_id and past.county_fips = present.county_fips
)

select
    deed_parcels.county_fips,
    deed_parcels.document_id,
    deed_parcels.parcel_number,
    max(deed_parcels.legal_description) as legal_description,
    text_key(min(address_text(
        deed_parcels.line_1,
        deed_parcels.line_2,
        coalesce(deed_parcels.city, places.city),
        coalesce(deed_parcels.state, places.state),
        coalesce(deed_parcels.zip, places.zip)
    ))) as address_text_key,
    min(deed_parcels.record_key) as record_key,
from stated as deed_parcels
left join normal.parcel_places as places using (county_fips, parcel_number)
where parcel_number is not null
group by deed_parcels.county_fips, deed_parcels.document_id, deed_parcels.parcel_number
