-- A recorded deed on one parcel, or a correction of one by the recorder.
-- grain: event_id
-- in: ledger.files, link.person_mentions, link.strongest_edges, normal.addresses, normal.deed_corrections, normal.deed_documents, normal.name_dictionary, normal.name_people, normal.named_records, normal.organisation_mentions, normal.owner_changes, normal.person_mentions, reference.counties, reference.sale_reasons
-- by: county_fips
--   normal.person_mentions: document_id in document_id of normal.deed_documents
--   normal.person_mentions: property_id in property_id of normal.deed_documents
--   normal.organisation_mentions: document_id in document_id of normal.deed_documents
--   normal.organisation_mentions: property_id in property_id of normal.deed_documents
--   normal.named_records: document_id in document_id of normal.deed_documents
--   normal.name_dictionary: name_key in name_key of normal.named_records
--   normal.name_people: name_key in name_key of normal.named_records
--   normal.addresses: address_id in coalesce(mail_address_id, address_id) of normal.person_mentions
--   normal.addresses: address_id in address_id of normal.organisation_mentions
--   link.person_mentions: mention_key in mention_key of normal.person_mentions
--   link.strongest_edges: mention_key in mention_key of normal.person_mentions
--   ledger.files: whole
--   reference.counties: whole
--   reference.sale_reasons: whole
with

documents as (
    select * from normal.deed_documents
    -- A parcel may be on a document twice, and two feeds may share a number. Prefers the recorder's row.
    qualify row_number() over (
        partition by county_fips, document_number, parcel_number order by told_by = 'recorder' desc, told_by, document_id
    ) = 1
),

places as (
    select address_id, full_address from normal.addresses
),

-- Each person is a party. An organisation, trust or estate is a party beside the people in its name.
people as (
    select
        mentions.record_key,
        mentions.is_past,
        mentions.observed_on,
        mentions.document_id,
        mentions.property_id,
        mentions.mention_kind,
        mentions.party_sequence,
        mentions.person_sequence,
        mentions.display_name as name,
        'individual' as type,
        -- A person id needs a match weight of 4.3 bits (odds of 19 to 1). A record without any match needs an
        -- address, because several people may have the bare name.
        case when ties.bits >= 4.3 or (ties.bits is null and places.full_address is not null) then assigned.person_id end
            as person_id,
        places.full_address,
    from normal.person_mentions as mentions
    inner join link.person_mentions as assigned using (mention_key)
    left join link.strongest_edges as ties on mentions.mention_key = ties.mention_key
    left join places on coalesce(mentions.mail_address_id, mentions.address_id) = places.address_id
    where mentions.mention_kind in ('grantor', 'grantee', 'other', 'owner')
),

organisations as (
    select
        mentions.record_key,
        mentions.is_past,
        mentions.observed_on,
        mentions.document_id,
        mentions.property_id,
        mentions.mention_kind,
        mentions.party_sequence,
        0 as person_sequence,
        mentions.organisation as name,
        case when mentions.kind in ('unknown', 'individual') then 'entity' else mentions.kind end as type,
        null::varchar as person_id,
        places.full_address,
    from normal.organisation_mentions as mentions
    left join places using (address_id)
    where mentions.mention_kind in ('grantor', 'grantee', 'other', 'owner')
),

-- A name that cannot be read stays as a party.
unreadable_names as (
    select name_key, string_split(text, chr(31))[2] as name from normal.name_dictionary
    anti join normal.name_people using (name_key)
    where organisation_key is null
),

unreadable as (
    select
        records.record_key,
        records.is_past,
        records.observed_on,
        records.document_id,
        null::varchar as property_id,
        records.mention_kind,
        records.party_sequence,
        0 as person_sequence,
        unreadable_names.name,
        'entity' as type,
        null::varchar as person_id,
        null::varchar as full_address,
    from normal.named_records as records
    inner join unreadable_names using (name_key)
    where records.mention_kind in ('grantor', 'grantee', 'other')
),

parties as (
    select * from people
    union all
    select * from organisations
    union all
    select * from unreadable
),

-- A file with one row per parcel repeats the parties of a document for each parcel.
named_parties as (
    select
        document_id,
        mention_kind,
        name,
        type,
        person_id,
        min({'party_sequence': party_sequence, 'record_key': record_key, 'person_sequence': person_sequence}) as place,
        min(full_address) as full_address,
    from parties
    semi join documents using (document_id)
    group by document_id, mention_kind, name, type, person_id
),

-- A repeated party without a person id takes the person id of the repetition that has one.
distinct_parties as (
    select * from named_parties
    qualify person_id is not null or max(person_id) over (partition by document_id, mention_kind, name, type) is null
),

parties_by_document as (
    select
        document_id,
        -- Sorts after gathering, because an ordered list() is slower.
        list_transform(
            list_sort(list({
                'role_order': case mention_kind when 'grantor' then 1 when 'grantee' then 2 else 3 end,
                'place': place,
                'name': name,
                'party': {
                    'role': mention_kind,
                    'name': name,
                    'type': type,
                    'person_id': person_id,
                    'full_address': full_address,
                },
            })),
            lambda entry: entry.party
        ) as parties,
    from distinct_parties
    group by document_id
),

-- Only the newest deed of a parcel can have made the present owner the owner.
newest as (
    select
        *,
        row_number() over (
            partition by property_id order by recorded_on desc nulls last, document_number desc
        ) = 1 as is_newest,
    from documents
),

-- For a deed without parties, the owner on the roll after it is the grantee and the owner on the roll before it the
-- grantor.
unnamed as (
    select newest.property_id, newest.recorded_on, changes.past_on
    from newest
    anti join parties_by_document using (document_id)
    left join normal.owner_changes as changes
        on newest.property_id = changes.property_id and newest.recorded_on > changes.past_on - 400
    where newest.is_newest and newest.property_id is not null and not newest.is_void
),

stated_roll_parties as (
    select
        unnamed.property_id,
        case when parties.is_past then 'grantor' else 'grantee' end as role,
        parties.name,
        parties.type,
        parties.person_id,
        parties.full_address,
        parties.party_sequence,
        parties.record_key,
        parties.person_sequence,
    from unnamed
    inner join parties using (property_id)
    where parties.mention_kind = 'owner'
        and case
            when parties.is_past then parties.observed_on = unnamed.past_on
            else parties.observed_on >= unnamed.recorded_on
        end
),

named_roll_parties as (
    select
        property_id,
        role,
        name,
        type,
        person_id,
        min({'party_sequence': party_sequence, 'record_key': record_key, 'person_sequence': person_sequence}) as place,
        min(full_address) as full_address,
    from stated_roll_parties
    group by property_id, role, name, type, person_id
),

roll_parties as (
    select * from named_roll_parties
    qualify person_id is not null or max(person_id) over (partition by property_id, role, name, type) is null
),

parties_by_roll as (
    select
        property_id,
        list_transform(
            list_sort(list({
                'is_grantee': role = 'grantee',
                'place': place,
                'name': name,
                'party': {
                    'role': role, 'name': name, 'type': type, 'person_id': person_id, 'full_address': full_address
                },
            })),
            lambda entry: entry.party
        ) as parties,
    from roll_parties
    group by property_id
),

-- Withheld deeds have no parties.
with_parties as (
    select
        newest.* replace (coalesce(newest.event_type, 'deed.other') as event_type),
        case
            when newest.is_withheld then []
            else coalesce(parties_by_document.parties, case when newest.is_newest then parties_by_roll.parties end, [])
        end as parties,
    from newest
    left join parties_by_document using (document_id)
    left join parties_by_roll on newest.property_id = parties_by_roll.property_id
),

-- Florida's documentary stamp tax is 0.70 dollars (Miami-Dade: 0.60) per 100 dollars or part of them.
taxed as (
    select
        with_parties.*,
        counties.county_name,
        counties.state,
        case
            when counties.state = 'FL' and transfer_tax_usd > 0
                then round(transfer_tax_usd / case when county_fips = '12086' then 0.6 else 0.7 end * 100)
        end as taxed_usd,
    from with_parties
    left join reference.counties as counties using (county_fips)
),

priced as (
    select
        *,
        coalesce(nullif(consideration_usd, 0), taxed_usd, price_usd, consideration_usd) as price,
        consideration_usd > 0 and abs(consideration_usd - taxed_usd) > 100 as is_price_doubtful,
    from taxed
),

-- A price for all parcels of a document is given with the first parcel only, so that sums over events are right.
counted as (
    select
        *,
        count(*) over (partition by county_fips, document_number) as parcel_count,
        min(parcel_number) over (partition by county_fips, document_number, price) as first_parcel,
    from priced
),

reasoned as (
    select
        counted.*,
        list_bool_or(list_transform(parties, lambda party: party.role = 'grantor' and party.type = 'estate')) as from_estate,
        list_bool_or(list_transform(parties, lambda party: party.type = 'government')) as with_government,
        case
            when counted.event_type = 'deed.foreclosure' then 'foreclosure'
            when counted.event_type = 'deed.correction' then 'correction'
            when reasons.transaction_reason = 'sale' and coalesce(price, 0) <= 1000 then null
            else reasons.transaction_reason
        end as reason,
    from counted
    left join reference.sale_reasons as reasons using (state, qualification_code)
),

explained as (
    select
        *,
        case
            when reason is not null then reason
            when from_estate then 'estate'
            when price > 1000 then 'sale'
            when with_government then 'government'
            when price is not null then 'nominal'
            else 'unknown'
        end as transaction_reason,
        case
            when qualification_text is not null then qualification_code || ' ' || qualification_text
            when qualification_code is not null then 'qualification code ' || qualification_code || ' without a description'
            when reason is not null then title_cased(coalesce(document_text, event_type))
            when from_estate then 'an estate conveys'
            when price > 1000 then 'a price of ' || format('{:,}', price::bigint) || ' dollars'
            when with_government then 'a government is a party'
            when price is not null then 'a nominal price of ' || price::bigint || ' dollars'
            when told_by = 'roll' then 'the owner changed between two rolls; the state does not disclose prices'
            else 'no price is recorded'
        end as transaction_text,
    from reasoned
),

corrected as (
    select
        explained.* replace (
            explained.document_number || '|' || explained.parcel_number || '|' || corrections.correction as event_key,
            'deed.correction' as event_type,
            corrections.corrected_on as recorded_on,
            'day' as recorded_on_precision,
            'correction' as transaction_reason,
            corrections.correction_text || coalesce(' recorded on ' || explained.recorded_on::varchar, '') as transaction_text,
            false as is_void,
            null::date as voided_on
        ),
        true as is_correction,
    from (select *, null::varchar as event_key from explained) as explained
    inner join normal.deed_corrections as corrections using (county_fips, document_number, parcel_number)
),

events as (
    select *, false as is_correction
    from (select *, document_number || '|' || parcel_number as event_key from explained)
    union all by name
    select * from corrected
)

select
    event_uuid(county_fips || '|' || event_key) as event_id,
    event_type,
    county_fips,
    county_name,
    state,
    property_id,
    address_id,
    nullif(parcel_number, '') as apn,
    document_number as document_id,
    title_cased(document_text) as document_text,
    recorded_on as recorded_date,
    recorded_on_precision as recorded_date_precision,
    instrument_on as instrument_date,
    case when parcel_number = first_parcel and not is_correction then price end as consideration,
    parcel_count::integer as parcel_count,
    case when is_void then 'correction' else transaction_reason end as transaction_reason,
    concat_ws(
        '; ',
        case
            when is_void and voided_on is not null then 'voided by the recorder on ' || voided_on
            when is_void then 'not public'
        end,
        transaction_text,
        case
            when parcel_number <> first_parcel and price is not null and not is_correction
                then 'the price of ' || format('{:,}', price::bigint) || ' dollars for ' || parcel_count
                    || ' parcels stands with parcel ' || first_parcel
        end,
        case
            when is_price_doubtful
                then 'the documentary tax is that of ' || format('{:,}', taxed_usd::bigint) || ' dollars'
        end
    ) as transaction_reason_text,
    legal_description,
    is_void,
    voided_on as voided_date,
    told_by,
    events.source_id,
    files.file_name,
    events.file_id,
    events.line_number,
    parties,
from events
left join ledger.files as files using (file_id)
