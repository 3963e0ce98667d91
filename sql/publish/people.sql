-- A person.
-- grain: person_id
-- in: link.person_mentions, normal.addresses, normal.deaths, normal.person_mentions, normal.read_names, published.person_addresses, published.person_emails, published.person_names, published.person_phones
-- by: person_id
--   normal.person_mentions: mention_key in mention_key of link.person_mentions
--   normal.deaths: (birth_number, last_name, nickname_class) in (birth_number, last_name, nickname_class) of normal.person_mentions
--   normal.person_mentions: (birth_number, last_name, nickname_class) in (birth_number, last_name, nickname_class) of normal.deaths
--   link.person_mentions: person_id
--   link.person_mentions: mention_key in mention_key of normal.person_mentions
--   normal.addresses: address_id in address_id of normal.person_mentions
--   normal.read_names: hash(first_name, middle_name, last_name, name_suffix) in hash(first_name, middle_name, last_name, name_suffix) of published.person_names
with

mentions as (
    select person_id, mentions.*
    from normal.person_mentions as mentions
    inner join (select mention_key, person_id from link.person_mentions) as assigned using (mention_key)
),

births as (
    select person_id, birth_date, birth_number, round(sum(source_weight), 6) as weight
    from mentions
    where birth_date is not null
    group by person_id, birth_date, birth_number
),

-- Prefers full dates to years, then the date with the highest weight.
born as (
    select * from births
    qualify row_number() over (
        partition by person_id order by birth_number % 100 > 0 desc, weight desc, birth_date
    ) = 1
),

facts as (
    select
        person_id,
        count(*)::integer as mention_count,
        count(distinct source_id)::integer as source_count,
        mode(gender order by gender) filter (where gender in ('F', 'M')) as gender,
        arg_max(linkedin_url, (observed_on, mention_key)) filter (where linkedin_url is not null) as linkedin_url,
        arg_max(employer, (observed_on, mention_key)) filter (where employer is not null and not is_past) as company_name,
        arg_max(occupation, (observed_on, mention_key)) filter (where occupation is not null and not is_past) as job_title,
    from mentions
    group by person_id
),

written as (
    select
        hash(first_name, middle_name, last_name, name_suffix) as name_hash,
        min(display_name) as name,
    from normal.read_names
    group by name_hash
),

displayed as (
    select
        names.*,
        coalesce(written.name, concat_ws(' ', names.first_name, names.middle_name, names.last_name, names.name_suffix))
            as name,
    from published.person_names as names
    left join written
        on hash(names.first_name, names.middle_name, names.last_name, names.name_suffix) = written.name_hash
),

primary_names as (
    select * from displayed where is_primary
),

other_names as (
    select
        displayed.person_id,
        list(distinct displayed.name order by displayed.name) as aliases,
    from displayed
    inner join primary_names using (person_id)
    where displayed.name <> primary_names.name
    group by displayed.person_id
),

contacts as (
    select person_id, max(is_current::integer) as has_address, 0 as has_phone, 0 as has_email
    from published.person_addresses
    group by person_id
    union all
    select person_id, 0, 1, 0 from published.person_phones group by person_id
    union all
    select person_id, 0, 0, 1 from published.person_emails group by person_id
),

reached as (
    select
        person_id,
        max(has_address) as has_address,
        max(has_phone) as has_phone,
        max(has_email) as has_email,
    from contacts
    group by person_id
),

-- A death belongs to a person with the same name and birth date, when no other person has both.
dead as (
    select
        case
            when count(distinct mentions.person_id) = 1 then min(mentions.person_id)
            -- When several people match, takes the only one who lived in the state of the death.
            when count(distinct mentions.person_id) filter (where deaths.state = places.state) = 1
                then min(mentions.person_id) filter (where deaths.state = places.state)
        end as person_id,
    from normal.deaths as deaths
    inner join mentions
        on
            deaths.birth_number = mentions.birth_number
            and deaths.last_name = mentions.last_name
            and deaths.nickname_class = mentions.nickname_class
    left join normal.addresses as places on mentions.address_id = places.address_id
    where
        deaths.birth_number % 100 > 0
        and (deaths.name_suffix is null or mentions.name_suffix is null or deaths.name_suffix = mentions.name_suffix)
        and middle_name_level(deaths.middle_name, mentions.middle_name) >= 0
    group by deaths.record_key
),

died as (
    select distinct person_id from dead where person_id is not null
)

select
    names.person_id,
    names.name,
    names.first_name,
    names.middle_name,
    names.last_name,
    names.name_suffix,
    coalesce(other_names.aliases, []) as aliases,
    born.birth_date as date_of_birth,
    facts.gender,
    died.person_id is not null as is_dead,
    facts.linkedin_url,
    facts.company_name,
    facts.job_title,
    -- Up to 55 points for known facts and 45 for the number of sources and records.
    (
        case when born.birth_number % 100 > 0 then 13 when born.birth_number > 0 then 8 else 0 end
        + 15 * coalesce(reached.has_address, 0)
        + 12 * coalesce(reached.has_phone, 0)
        + 8 * coalesce(reached.has_email, 0)
        + case when facts.company_name is not null then 4 else 0 end
        + case when length(names.first_name) > 1 then 3 else 0 end
        + 9 * least(facts.source_count, 3)
        + 3 * least(facts.mention_count, 6)
    )::integer as completeness,
    facts.source_count,
    facts.mention_count,
from primary_names as names
inner join facts using (person_id)
left join born using (person_id)
left join other_names using (person_id)
left join reached using (person_id)
left join died using (person_id)
