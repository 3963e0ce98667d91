-- A recorded deed on one parcel.
-- grain: event_id
-- in: link.person_mentions, normal.addresses, normal.deed_documents, normal.name_dictionary, normal.name_people, normal.named_records, normal.organisation_mentions, normal.owner_changes, normal.person_mentions
with

documents as (
    select * from normal.deed_documents
    -- A parcel twice on one document, or a number that two feeds share, is one event; the recorder's word stands.
    qualify row_number() over (
        partition by county_fips, document_number, parcel_number order by told_by = 'recorder' desc, told_by, document_id
    ) = 1
),

places as (
    select address_id, full_address from normal.addresses
),

-- Each person is a party, and so is an organisation, trust or estate beside the people that its name names.
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
        assigned.person_id,
        places.full_address,
    from normal.person_mentions as mentions
    inner join link.person_mentions as assigned using (mention_number)
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

-- A name that can't be read still stands in the record.
unread_names as (
    select name_key, string_split(text, chr(31))[2] as name from normal.name_dictionary
    anti join normal.name_people using (name_key)
    where organisation_key is null
),

unread as (
    select
        records.record_key,
        records.is_past,
        records.observed_on,
        records.document_id,
        null::varchar as property_id,
        records.mention_kind,
        records.party_sequence,
        0 as person_sequence,
        unread_names.name,
        'entity' as type,
        null::varchar as person_id,
        null::varchar as full_address,
    from normal.named_records as records
    inner join unread_names using (name_key)
    where records.mention_kind in ('grantor', 'grantee', 'other')
),

parties as (
    select * from people
    union all
    select * from organisations
    union all
    select * from unread
),

parties_by_document as (
    select
        document_id,
        list(
            {'role': mention_kind, 'name': name, 'type': type, 'person_id': person_id, 'full_address': full_address}
            order by
                case mention_kind when 'grantor' then 1 when 'grantee' then 2 else 3 end,
                party_sequence,
                record_key,
                person_sequence
        ) as parties,
    from parties
    semi join documents using (document_id)
    group by document_id
),

-- Only the newest deed of a parcel can be the one that made its owner of today.
newest as (
    select
        *,
        row_number() over (
            partition by property_id order by recorded_on desc nulls last, document_number desc
        ) = 1 as is_newest,
    from documents
),

-- Where nobody is named, the roll issued since says who has it, and the roll before who gave.
unnamed as (
    select newest.property_id, newest.recorded_on, changes.past_on
    from newest
    anti join parties_by_document using (document_id)
    left join normal.owner_changes as changes
        on newest.property_id = changes.property_id and newest.recorded_on > changes.past_on - 400
    where newest.is_newest and newest.property_id is not null and not newest.is_void
),

roll_parties as (
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

parties_by_roll as (
    select
        property_id,
        list(
            {'role': role, 'name': name, 'type': type, 'person_id': person_id, 'full_address': full_address}
            order by role = 'grantee', party_sequence, record_key, person_sequence
        ) as parties,
    from roll_parties
    group by property_id
),

priced as (
    select
        newest.*,
        coalesce(nullif(newest.consideration_usd, 0), newest.price_usd, newest.consideration_usd) as consideration,
        coalesce(parties_by_document.parties, case when newest.is_newest then parties_by_roll.parties end, []) as parties,
    from newest
    left join parties_by_document using (document_id)
    left join parties_by_roll on newest.property_id = parties_by_roll.property_id
),

reasoned as (
    select
        *,
        list_bool_or(list_transform(parties, lambda party: party.role = 'grantor' and party.type = 'estate')) as from_estate,
        list_bool_or(list_transform(parties, lambda party: party.type = 'government')) as with_government,
        case
            when event_type = 'deed.foreclosure' or qualification_code = '12' then 'foreclosure'
            when event_type = 'deed.correction' then 'correction'
            when qualification_code = '18' then 'government'
            when qualification_code = '19' then 'estate'
            when qualification_code = '30' then 'gift'
            when qualification_code in ('01', '02', '03', '04', '05', '06') and consideration > 1000 then 'sale'
        end as reason,
    from priced
)

select
    event_uuid(county_fips || '|' || document_number || '|' || parcel_number) as event_id,
    event_type,
    county_fips,
    property_id,
    nullif(parcel_number, '') as apn,
    document_number as document_id,
    document_text,
    recorded_on as recorded_date,
    instrument_on as instrument_date,
    consideration,
    case
        when reason is not null then reason
        when from_estate then 'estate'
        when consideration > 1000 then 'sale'
        when with_government then 'government'
        when consideration is not null then 'nominal'
        else 'unknown'
    end as transaction_reason,
    case
        when qualification_text is not null then qualification_code || ' ' || qualification_text
        when reason is not null then coalesce(document_text, event_type)
        when from_estate then 'an estate conveys'
        when consideration > 1000 then 'a price of ' || format('{:,}', consideration::bigint) || ' dollars'
        when with_government then 'a government is a party'
        when consideration is not null then 'a nominal price of ' || consideration::bigint || ' dollars'
        when told_by = 'roll' then 'the owner changed between two rolls; the state does not disclose prices'
        else 'no price is recorded'
    end as transaction_reason_text,
    is_void,
    parties,
from reasoned
