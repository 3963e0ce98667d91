-- A parcel of a recorded document. Its address is that of the roll, or the document's own.
-- grain: county_fips, document_id, parcel_number
-- in: normal.document_parcels, normal.parcels, normal.read_addresses
-- by: county_fips
--   normal.read_addresses: text_key in address_text_key of normal.document_parcels
select
    stated.county_fips,
    stated.document_id,
    stated.parcel_number,
    parcels.property_id,
    coalesce(parcels.address_id, addressed.address_id) as address_id,
    stated.legal_description,
    stated.record_key,
from normal.document_parcels as stated
left join normal.parcels on stated.county_fips = parcels.county_fips and stated.parcel_number = parcels.parcel_number
left join normal.read_addresses as addressed on stated.address_text_key = addressed.text_key
