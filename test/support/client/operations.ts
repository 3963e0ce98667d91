// Made of src/api/openapi.json by `npm run openapi`; not to be edited.

export type AccessEvent = {
  readonly id: number
  readonly event_ts: string
  readonly trace_id: string
  readonly api_key_id: string
  readonly http_method: string
  readonly route: string
  readonly status_code: number
  readonly duration_ms: number
  readonly billable: boolean
  readonly purpose?:
    | 'none'
    | 'fraud_prevention'
    | 'identity_verification'
    | 'legal_process'
    | 'debt_recovery'
    | 'insurance'
    | 'real_estate'
    | 'marketing'
    | 'research'
    | 'government'
}

export type AddressSummary = {
  readonly address_id: string
  readonly full_address: string
  readonly city: string
  readonly state: string
  readonly line1: string
  readonly zip: string
}

export type AddressV1 = {
  readonly id: string
  readonly address: string
  readonly latlong: Point | null
  readonly score: number
}

export type Business = {
  readonly name: string
  readonly addresses: readonly {
    readonly full_address: string
    readonly line1: string
    readonly city: string
    readonly state: string
    readonly zip: string
    readonly plus4: string
    readonly latlong: Point | null
    readonly is_historical: boolean
  }[]
  readonly approximate_locations: readonly {
    readonly city: string
    readonly state: string
    readonly zip: string
    readonly plus4: string
    readonly latlong: Point | null
    readonly is_historical: boolean
    readonly country: string
    readonly precision: 'zip4' | 'zip' | 'city'
  }[]
}

export type BusinessOwner = { readonly name: string }

export type County = {
  readonly slug: string
  readonly name: string
  readonly fips_code: string
  readonly supported_webhook_events: readonly (
    'deed.transfer' | 'deed.quitclaim' | 'deed.foreclosure' | 'deed.correction' | 'deed.other'
  )[]
}

export type CreateWebhookRequest = {
  readonly url: string
  readonly event_type:
    'deed.*' | 'deed.transfer' | 'deed.quitclaim' | 'deed.foreclosure' | 'deed.correction' | 'deed.other'
  readonly region: string
  readonly name?: string | null
}

export type CreateWebhookResponse = { readonly result: WebhookWithSecret }

export type DeedEvent = {
  readonly id: string
  readonly object: 'event'
  readonly event_type:
    'deed.transfer' | 'deed.quitclaim' | 'deed.foreclosure' | 'deed.correction' | 'deed.other'
  readonly test?: true
  readonly data: {
    readonly jurisdiction: EventJurisdiction
    readonly property: EventProperty
    readonly parties: readonly EventParty[]
    readonly detail: EventDetail
  }
}

export type DumpAccessEventsResponse = {
  readonly events: readonly AccessEvent[]
  readonly next_cursor?: string
}

export type EnrichResponse = {
  readonly results: readonly EnrichedRow[]
  readonly metadata: {
    readonly rows: number
    readonly matched: number
    readonly statuses: {
      readonly matched: number
      readonly ambiguous: number
      readonly no_match: number
      readonly invalid: number
      readonly suppressed: number
    }
    readonly billable: number
    readonly duplicates: number
    readonly billed: number
    readonly rejected: readonly { readonly row: number; readonly line: number; readonly reason: string }[]
    readonly columns: readonly { readonly column: string; readonly field: string }[]
  }
}

export type EnrichResponse202 = { readonly result: Enrichment }

export type EnrichedRow = {
  readonly row: number
  readonly key: string | null
  readonly match_rank: number
  readonly match_status: 'matched' | 'ambiguous' | 'no_match' | 'invalid' | 'suppressed'
  readonly match_probability: number | null
  readonly matched_by: readonly ('name' | 'phone' | 'email' | 'address' | 'age' | 'id')[]
  readonly reason: string
  readonly person_id: string | null
  readonly person_name: string | null
  readonly property_id: string | null
  readonly duplicate_of: number | null
  readonly data: Readonly<Record<string, string | number | boolean | null>> | null
}

export type Enrichment = {
  readonly id: string
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly created_at: string
  readonly finished_at: string | null
  readonly expires_at: string | null
  readonly share_done: number
  readonly rows_done: number
  readonly rows_per_second: number | null
  readonly rows: number | null
  readonly matched: number | null
  readonly ambiguous: number | null
  readonly billable: number | null
  readonly duplicates: number | null
  readonly billed: number | null
  readonly rejected: number | null
  readonly failure: string | null
  readonly result_url: string | null
  readonly rejected_url: string | null
}

export type EnrichmentParts = {
  readonly list: string
  readonly suppress?: string
  readonly fields?: readonly (
    | 'phones'
    | 'emails'
    | 'address'
    | 'age'
    | 'company'
    | 'job_title'
    | 'owned_properties'
    | 'property'
    | 'owners'
  )[]
  readonly require?: readonly ('phone' | 'email' | 'address' | 'age' | 'property')[]
  readonly min_score?: number
  readonly map?: string
  readonly no_header?: boolean
  readonly skip_lines?: number
  readonly limit?: number
  readonly max_billable?: number
  readonly dedupe?: boolean
  readonly top?: number
  readonly notify?: string
  readonly dry_run?: boolean
  readonly count_only?: boolean
}

export type ErrorBody = {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly long_message: string
    readonly meta: Readonly<Record<string, string | number>> | null
  }
  readonly wp_trace_id: string
}

export type EventDetail = {
  readonly document_type: { readonly category: 'deed'; readonly text: string | null }
  readonly recorded_date: string | null
  readonly instrument_date: string | null
  readonly consideration: number | null
  readonly transaction_reason: {
    readonly category:
      'sale' | 'gift' | 'foreclosure' | 'estate' | 'correction' | 'government' | 'nominal' | 'unknown'
    readonly text: string
  }
  readonly is_void?: true
  readonly voided_date?: string | null
}

export type EventJurisdiction = {
  readonly county: string
  readonly state: string
  readonly fips_code: string
}

export type EventParty = {
  readonly role: 'grantor' | 'grantee' | 'other'
  readonly name: string
  readonly type:
    | 'individual'
    | 'llc'
    | 'corporation'
    | 'trust'
    | 'partnership'
    | 'bank'
    | 'government'
    | 'association'
    | 'estate'
    | 'entity'
  readonly person_id: string | null
  readonly addresses: readonly { readonly full_address: string }[]
}

export type EventProperty = {
  readonly property_id: string | null
  readonly property_address: {
    readonly line1: string | null
    readonly city: string | null
    readonly state: string
    readonly zip: string | null
    readonly county: string
  }
  readonly apn: string | null
  readonly parcel_id: string | null
  readonly geolocation: Point | null
  readonly legal_description: { readonly text: string | null }
  readonly bedrooms: number | null
  readonly bathrooms: number | null
  readonly living_sqft: number | null
  readonly lot_sqft: number | null
  readonly property_purpose: string | null
}

export type EventSearchError = {
  readonly error: {
    readonly code: 'invalid_parameter' | 'unknown_region' | 'unauthorized' | 'rate_limited' | 'query_timeout'
    readonly message: string
    readonly long_message: string
    readonly meta: Readonly<Record<string, string | number>> | null
  }
  readonly wp_trace_id: string
  readonly lookup_url?: string
}

export type FoundPerson = {
  readonly id: string | null
  readonly name: string
  readonly aliases: readonly string[]
  readonly is_dead: boolean
  readonly age: number | null
  readonly date_of_birth: string | null
  readonly linkedin_url: string | null
  readonly company_name: string | null
  readonly job_title: string | null
  readonly phones: readonly ScoredPhone[]
  readonly emails: readonly ScoredEmail[]
  readonly current_addresses: readonly AddressSummary[]
  readonly historic_addresses: readonly AddressSummary[]
  readonly owned_properties: readonly { readonly id: string; readonly address: string }[]
  readonly relatives: readonly { readonly id: string; readonly name: string }[]
  readonly match_score: number | null
  readonly matched_by: readonly ('name' | 'phone' | 'email' | 'address' | 'age')[]
  readonly result_metadata: {
    readonly details_url: string | null
    readonly phones: Shown
    readonly emails: Shown
    readonly historic_addresses: Shown
    readonly owned_properties: Shown
  }
}

export type FoundPersonV1 = {
  readonly id: string | null
  readonly name: string
  readonly aliases: readonly string[]
  readonly is_dead: boolean
  readonly date_of_birth: string | null
  readonly linkedin_url: string | null
  readonly company_name: string | null
  readonly job_title: string | null
  readonly phones: readonly ScoredPhone[]
  readonly emails: readonly string[]
  readonly current_addresses: readonly AddressV1[]
  readonly historic_addresses: readonly AddressV1[]
  readonly owned_properties: readonly { readonly id: string; readonly address: string }[]
  readonly relatives: readonly { readonly id: string; readonly name: string }[]
}

export type FoundProperty = {
  readonly property_id: string
  readonly address_id: string | null
  readonly apn: string
  readonly property_purpose: string | null
  readonly owner_occupied: 'OwnerOccupied' | 'AbsenteeOwner' | 'Unknown' | null
  readonly is_vacant: boolean | null
  readonly geolocation: Point | null
  readonly residents: readonly Resident[]
  readonly property_metadata: {
    readonly confidence_score: 100 | 90 | 50 | 25 | null
    readonly match_type: 'exact' | 'best match' | null
    readonly details_url: string
  }
  readonly property_address: AddressSummary | null
  readonly mailing_address: AddressSummary | null
  readonly ownership_info: {
    readonly owner_type: 'individual' | 'business' | 'trust' | 'government' | 'unknown'
    readonly sale_date: string | null
    readonly business_owners: readonly BusinessOwner[]
    readonly person_owners: readonly PersonOwner[]
  }
}

export type FullAddress = {
  readonly full_address: string
  readonly line1: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly house: string
  readonly street: string
  readonly street_type: string
  readonly county: string
}

export type GetEnrichmentResponse = { readonly result: Enrichment }

export type GetHealthResponse = { readonly status: 'ok'; readonly snapshot: string | null }

export type GetOpenApiResponse = { readonly openapi: '3.1.0' } & Readonly<Record<string, unknown>>

export type GetPersonResponse = { readonly result: Person }

export type GetPhoneResponse = {
  readonly phone: {
    readonly e164: string
    readonly national_format: string
    readonly line_type: 'mobile' | 'landline' | 'voip' | 'tollfree' | 'unknown'
    readonly carrier: string | null
    readonly primary_owner: 'person' | 'business' | 'unknown'
    readonly returned_people: number
    readonly people_limit: 10
    readonly people_truncated: boolean
    readonly returned_businesses: number
  }
  readonly people: readonly FoundPerson[]
  readonly businesses: readonly Business[]
}

export type GetPropertyResponse = { readonly result: Property }

export type GetReadyResponse = {
  readonly status: 'ready'
  readonly snapshot: string
  readonly withheld: string | null
}

export type GetUsageResponse = {
  readonly time_range: { readonly start_date: string; readonly end_date: string }
  readonly usage_data: readonly { readonly date: string; readonly request_count: number }[]
  readonly total_requests_in_timeperiod: number
}

export type GetWebhookResponse = { readonly result: Webhook }

export type ListAccessEventsOfKeyResponse = {
  readonly events: readonly AccessEvent[]
  readonly next_cursor?: string
}

export type ListCountiesResponse = { readonly results: readonly County[] }

export type ListEnrichmentsResponse = {
  readonly results: readonly Enrichment[]
  readonly next_cursor: string | null
}

export type ListStatesResponse = { readonly results: readonly State[] }

export type ListWebhooksResponse = { readonly results: readonly Webhook[] }

export type Message = { readonly message: string }

export type Mortgage = {
  readonly amount: number | null
  readonly recorded_date: string | null
  readonly document_date: string | null
  readonly document_number: string | null
  readonly lender_name: string | null
  readonly loan_type: string | null
  readonly position: number | null
  readonly due_date: string | null
}

export type Notification = {
  readonly event_id: string
  readonly event_type: string
  readonly links: readonly { readonly version: '1'; readonly url: string }[]
}

export type PartyMetadata = {
  readonly details_url: string | null
  readonly phones: Shown
  readonly emails: Shown
  readonly owned_properties: Shown
}

export type Person = {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly is_dead: boolean
  readonly age: number | null
  readonly date_of_birth: string | null
  readonly linkedin_url: string | null
  readonly company_name: string | null
  readonly job_title: string | null
  readonly phones: readonly ScoredPhone[]
  readonly emails: readonly ScoredEmail[]
  readonly current_addresses: readonly AddressSummary[]
  readonly historic_addresses: readonly AddressSummary[]
  readonly owned_properties: readonly { readonly id: string; readonly address: string }[]
  readonly relatives: readonly { readonly id: string; readonly name: string }[]
}

export type PersonOwner = {
  readonly id: string | null
  readonly name: string
  readonly age: number | null
  readonly current_addresses: readonly AddressSummary[]
  readonly phones: readonly ScoredPhone[]
  readonly emails: readonly ScoredEmail[]
  readonly company_name: string | null
  readonly job_title: string | null
  readonly person_owner_metadata: PartyMetadata
}

export type PersonV1 = {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly is_dead: boolean
  readonly date_of_birth: string | null
  readonly linkedin_url: string | null
  readonly company_name: string | null
  readonly job_title: string | null
  readonly phones: readonly ScoredPhone[]
  readonly emails: readonly string[]
  readonly current_addresses: readonly AddressV1[]
  readonly historic_addresses: readonly AddressV1[]
  readonly owned_properties: readonly { readonly id: string; readonly address: string }[]
  readonly relatives: readonly { readonly id: string; readonly name: string }[]
}

export type Point = { readonly lat: number; readonly lng: number }

export type Property = {
  readonly property_id: string
  readonly address_id: string | null
  readonly apn: string
  readonly property_purpose: string | null
  readonly owner_occupied: 'OwnerOccupied' | 'AbsenteeOwner' | 'Unknown' | null
  readonly is_vacant: boolean | null
  readonly geolocation: Point | null
  readonly residents: readonly Resident[]
  readonly property_metadata: {
    readonly confidence_score: 100 | 90 | 50 | 25 | null
    readonly match_type: 'exact' | 'best match' | null
    readonly details_url: string
  }
  readonly property_address: FullAddress | null
  readonly mailing_address: FullAddress | null
  readonly ownership_info: {
    readonly owner_type: 'individual' | 'business' | 'trust' | 'government' | 'unknown'
    readonly sale_date: string | null
    readonly business_owners: readonly BusinessOwner[]
    readonly person_owners: readonly PersonOwner[]
    readonly last_sale_amount: number | null
    readonly mortgages: readonly Mortgage[]
  }
  readonly year_built: number | null
  readonly effective_year_built: number | null
  readonly living_sqft: number | null
  readonly lot_sqft: number | null
  readonly ground_floor_sqft: number | null
  readonly basement_sqft: number | null
  readonly basement_type: string | null
  readonly garage_type: string | null
  readonly roof_covering: string | null
  readonly heating_fuel: string | null
  readonly condition: string | null
  readonly build_quality: string | null
  readonly stories: number | null
  readonly bedrooms: number | null
  readonly bathrooms: number | null
  readonly has_pool: boolean | null
  readonly assessed_info: {
    readonly market_value: number | null
    readonly assessed_value: number | null
    readonly property_tax_amount: number | null
    readonly property_tax_percent: number | null
    readonly assessment_year: number | null
  }
}

export type PropertyV1 = {
  readonly id: string
  readonly property_address: { readonly id: string; readonly full_address: string } | null
  readonly owners: readonly FoundPersonV1[]
  readonly residents: readonly PersonV1[]
}

export type Resident = {
  readonly id: string
  readonly name: string
  readonly age: number | null
  readonly current_addresses: readonly AddressSummary[]
  readonly phones: readonly ScoredPhone[]
  readonly emails: readonly ScoredEmail[]
  readonly company_name: string | null
  readonly job_title: string | null
  readonly resident_metadata: PartyMetadata
}

export type RotateWebhookSecretRequest = Readonly<Record<string, never>> | null

export type RotateWebhookSecretResponse = { readonly result: WebhookWithSecret }

export type ScoredEmail = { readonly email: string; readonly score: number }

export type ScoredPhone = {
  readonly number: string
  readonly type: 'mobile' | 'landline' | 'voip' | 'tollfree' | 'unknown'
  readonly score: number
}

export type SearchDeedEventsResponse = {
  readonly results: readonly DeedEvent[]
  readonly pagination: { readonly next_cursor?: string }
}

export type SearchPeopleResponse = {
  readonly results: readonly FoundPerson[]
  readonly metadata: { readonly result_count: number; readonly page: number; readonly page_size: number }
}

export type SearchPeopleV1Response = readonly FoundPersonV1[]

export type SearchPropertyResponse = { readonly result: FoundProperty }

export type Shown = { readonly displayed: number; readonly additional: number }

export type State = {
  readonly slug: string
  readonly state_code: string
  readonly name: string
  readonly supported_webhook_events: readonly (
    'deed.transfer' | 'deed.quitclaim' | 'deed.foreclosure' | 'deed.correction' | 'deed.other'
  )[]
}

export type StateCode =
  | 'AL'
  | 'AK'
  | 'AZ'
  | 'AR'
  | 'AS'
  | 'CA'
  | 'CO'
  | 'CT'
  | 'DE'
  | 'DC'
  | 'FL'
  | 'GA'
  | 'GU'
  | 'HI'
  | 'ID'
  | 'IL'
  | 'IN'
  | 'IA'
  | 'KS'
  | 'KY'
  | 'LA'
  | 'ME'
  | 'MD'
  | 'MA'
  | 'MI'
  | 'MN'
  | 'MS'
  | 'MO'
  | 'MT'
  | 'NE'
  | 'NV'
  | 'NH'
  | 'NJ'
  | 'NM'
  | 'NY'
  | 'NC'
  | 'ND'
  | 'MP'
  | 'OH'
  | 'OK'
  | 'OR'
  | 'PA'
  | 'PR'
  | 'RI'
  | 'SC'
  | 'SD'
  | 'TN'
  | 'TX'
  | 'TT'
  | 'UT'
  | 'VT'
  | 'VA'
  | 'VI'
  | 'WA'
  | 'WV'
  | 'WI'
  | 'WY'

export type TestWebhookRequest = Readonly<Record<string, unknown>> | null

export type TestWebhookResponse = {
  readonly success: boolean
  readonly delivery: {
    readonly status_code: number
    readonly response_time_ms: number
    readonly timestamp: string
  }
  readonly payload: Notification
}

export type TooManyRequests = UsageCapExceeded | Message

export type Unprocessable = {
  readonly detail: readonly {
    readonly loc: readonly string[]
    readonly msg: string
    readonly type: string
    readonly input: unknown
    readonly ctx: Readonly<Record<string, unknown>>
  }[]
}

export type UpdateWebhookRequest = {
  readonly url?: string
  readonly event_type?:
    'deed.*' | 'deed.transfer' | 'deed.quitclaim' | 'deed.foreclosure' | 'deed.correction' | 'deed.other'
  readonly region?: string
  readonly name?: string | null
  readonly status?: 'active' | 'inactive'
}

export type UpdateWebhookResponse = { readonly result: Webhook }

export type UsageCapExceeded = {
  readonly message: string
  readonly error: 'usage_cap_exceeded'
  readonly error_instance_id: string
  readonly limit: number
  readonly used: number
  readonly reset_at: string
  readonly upgrade_url: string
}

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly name: string | null
  readonly event_type: string
  readonly region: string
  readonly status: 'active' | 'inactive'
  readonly created_at: string
  readonly updated_at: string
}

export type WebhookWithSecret = {
  readonly id: string
  readonly url: string
  readonly name: string | null
  readonly event_type: string
  readonly region: string
  readonly status: 'active' | 'inactive'
  readonly created_at: string
  readonly updated_at: string
  readonly signing_secret: string
}

export interface Operations {
  getHealth: {
    parameters: Record<string, never>
    body: undefined
    answers: { 200: GetHealthResponse; 400: ErrorBody; 431: ErrorBody; 500: ErrorBody; 503: ErrorBody }
  }
  listAccessEventsOfKey: {
    parameters: { api_key_id: string; start: string; end: string; cursor?: string }
    body: undefined
    answers: {
      200: ListAccessEventsOfKeyResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      422: Unprocessable
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  dumpAccessEvents: {
    parameters: { start: string; end: string; cursor?: string }
    body: undefined
    answers: {
      200: DumpAccessEventsResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      422: Unprocessable
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getOpenApi: {
    parameters: Record<string, never>
    body: undefined
    answers: { 200: GetOpenApiResponse; 400: ErrorBody; 431: ErrorBody; 500: ErrorBody; 503: ErrorBody }
  }
  getReady: {
    parameters: Record<string, never>
    body: undefined
    answers: { 200: GetReadyResponse; 400: ErrorBody; 431: ErrorBody; 500: ErrorBody; 503: ErrorBody }
  }
  getUsage: {
    parameters: { start_date: string; end_date: string }
    body: undefined
    answers: {
      200: GetUsageResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  enrich: {
    parameters: {
      fields?: readonly (
        | 'phones'
        | 'emails'
        | 'address'
        | 'age'
        | 'company'
        | 'job_title'
        | 'owned_properties'
        | 'property'
        | 'owners'
      )[]
      require?: readonly ('phone' | 'email' | 'address' | 'age' | 'property')[]
      min_score?: number
      map?: string
      no_header?: boolean
      skip_lines?: number
      limit?: number
      max_billable?: number
      dedupe?: boolean
      top?: number
      notify?: string
      dry_run?: boolean
      count_only?: boolean
    }
    body: string
    answers: {
      200: EnrichResponse
      202: EnrichResponse202
      400: ErrorBody
      403: Message
      408: ErrorBody
      409: ErrorBody
      413: ErrorBody
      414: ErrorBody
      415: ErrorBody
      422: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
      507: ErrorBody
    }
  }
  listEnrichments: {
    parameters: {
      status?: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
      limit?: number
      cursor?: string
    }
    body: undefined
    answers: {
      200: ListEnrichmentsResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getEnrichment: {
    parameters: { id: string }
    body: undefined
    answers: {
      200: GetEnrichmentResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  deleteEnrichment: {
    parameters: { id: string }
    body: undefined
    answers: {
      204: undefined
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getEnrichmentRejected: {
    parameters: { id: string; safe_cells?: boolean }
    body: undefined
    answers: {
      200: undefined
      400: ErrorBody
      403: Message
      404: ErrorBody
      409: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getEnrichmentResult: {
    parameters: { id: string; safe_cells?: boolean }
    body: undefined
    answers: {
      200: undefined
      400: ErrorBody
      403: Message
      404: ErrorBody
      409: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  searchDeedEvents: {
    parameters: {
      region: string
      property_id?: string
      event_date_from?: string
      event_date_to?: string
      limit?: number
      cursor?: string
    }
    body: undefined
    answers: {
      200: SearchDeedEventsResponse
      400: EventSearchError
      401: EventSearchError
      403: Message
      414: ErrorBody
      429: EventSearchError
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
      504: EventSearchError
    }
  }
  getEvent: {
    parameters: { event_id: string }
    body: undefined
    answers: {
      200: DeedEvent
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  searchPeopleV1: {
    parameters: {
      phone?: string
      name?: string
      first_name?: string
      middle_name?: string
      last_name?: string
      street?: string
      city?: string
      state_code?: StateCode
      zipcode?: string
      include_historical_locations?: boolean
      min_age?: number
      max_age?: number
      radius?: number
      strict_match?: boolean
    }
    body: undefined
    answers: {
      200: SearchPeopleV1Response
      400: ErrorBody
      403: Message
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getPersonV1: {
    parameters: { id: string }
    body: undefined
    answers: {
      200: PersonV1
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  searchPropertyV1: {
    parameters: { street: string; city?: string; state_code?: StateCode; zip?: string }
    body: undefined
    answers: {
      200: PropertyV1
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  listStates: {
    parameters: Record<string, never>
    body: undefined
    answers: { 200: ListStatesResponse; 400: ErrorBody; 431: ErrorBody; 500: ErrorBody; 503: ErrorBody }
  }
  listCounties: {
    parameters: { state_code: string }
    body: undefined
    answers: {
      200: ListCountiesResponse
      400: ErrorBody
      404: ErrorBody
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  createWebhook: {
    parameters: Record<string, never>
    body: CreateWebhookRequest
    answers: {
      201: CreateWebhookResponse
      400: ErrorBody
      403: Message
      408: ErrorBody
      409: ErrorBody
      413: ErrorBody
      414: ErrorBody
      415: ErrorBody
      422: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
      507: ErrorBody
    }
  }
  listWebhooks: {
    parameters: { status?: 'active' | 'inactive'; event_type?: string }
    body: undefined
    answers: {
      200: ListWebhooksResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getWebhook: {
    parameters: { webhook_id: string }
    body: undefined
    answers: {
      200: GetWebhookResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  updateWebhook: {
    parameters: { webhook_id: string }
    body: UpdateWebhookRequest
    answers: {
      200: UpdateWebhookResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      408: ErrorBody
      409: ErrorBody
      413: ErrorBody
      414: ErrorBody
      415: ErrorBody
      422: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
      507: ErrorBody
    }
  }
  deleteWebhook: {
    parameters: { webhook_id: string }
    body: undefined
    answers: {
      204: undefined
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  rotateWebhookSecret: {
    parameters: { webhook_id: string }
    body: RotateWebhookSecretRequest
    answers: {
      200: RotateWebhookSecretResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      408: ErrorBody
      413: ErrorBody
      414: ErrorBody
      415: ErrorBody
      422: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
      507: ErrorBody
    }
  }
  testWebhook: {
    parameters: { webhook_id: string }
    body: TestWebhookRequest
    answers: {
      200: TestWebhookResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      408: ErrorBody
      413: ErrorBody
      414: ErrorBody
      415: ErrorBody
      422: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
      507: ErrorBody
    }
  }
  searchPeople: {
    parameters: {
      phone?: string
      name?: string
      first_name?: string
      middle_name?: string
      last_name?: string
      street?: string
      city?: string
      state_code?: StateCode
      zipcode?: string
      include_historical_locations?: boolean
      min_age?: number
      max_age?: number
      radius?: number
      strict_match?: boolean
      email?: string
      include_fuzzy_matching?: boolean
      page?: number
      page_size?: number
    }
    body: undefined
    answers: {
      200: SearchPeopleResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getPerson: {
    parameters: { id: string }
    body: undefined
    answers: {
      200: GetPersonResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getPhone: {
    parameters: { phone: string }
    body: undefined
    answers: {
      200: GetPhoneResponse
      400: ErrorBody
      403: Message
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  searchProperty: {
    parameters: {
      street?: string
      city?: string
      state_code?: StateCode
      zipcode?: string
      strict_match?: boolean
    }
    body: undefined
    answers: {
      200: SearchPropertyResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
  getProperty: {
    parameters: { property_id: string }
    body: undefined
    answers: {
      200: GetPropertyResponse
      400: ErrorBody
      403: Message
      404: ErrorBody
      414: ErrorBody
      429: TooManyRequests
      431: ErrorBody
      500: ErrorBody
      503: ErrorBody
    }
  }
}

export const OPERATIONS = {
  getHealth: { method: 'GET', path: '/health', query: [] },
  listAccessEventsOfKey: {
    method: 'GET',
    path: '/internal/access-events/by-key',
    query: ['api_key_id', 'start', 'end', 'cursor'],
  },
  dumpAccessEvents: {
    method: 'GET',
    path: '/internal/access-events/dump',
    query: ['start', 'end', 'cursor'],
  },
  getOpenApi: { method: 'GET', path: '/openapi.json', query: [] },
  getReady: { method: 'GET', path: '/ready', query: [] },
  getUsage: { method: 'GET', path: '/v1/account/usage/', query: ['start_date', 'end_date'] },
  enrich: {
    method: 'POST',
    path: '/v1/enrichments',
    query: [
      'fields',
      'require',
      'min_score',
      'map',
      'no_header',
      'skip_lines',
      'limit',
      'max_billable',
      'dedupe',
      'top',
      'notify',
      'dry_run',
      'count_only',
    ],
  },
  listEnrichments: { method: 'GET', path: '/v1/enrichments', query: ['status', 'limit', 'cursor'] },
  getEnrichment: { method: 'GET', path: '/v1/enrichments/{id}', query: [] },
  deleteEnrichment: { method: 'DELETE', path: '/v1/enrichments/{id}', query: [] },
  getEnrichmentRejected: { method: 'GET', path: '/v1/enrichments/{id}/rejected', query: ['safe_cells'] },
  getEnrichmentResult: { method: 'GET', path: '/v1/enrichments/{id}/result', query: ['safe_cells'] },
  searchDeedEvents: {
    method: 'GET',
    path: '/v1/events/deed',
    query: ['region', 'property_id', 'event_date_from', 'event_date_to', 'limit', 'cursor'],
  },
  getEvent: { method: 'GET', path: '/v1/events/{event_id}', query: [] },
  searchPeopleV1: {
    method: 'GET',
    path: '/v1/person/',
    query: [
      'phone',
      'name',
      'first_name',
      'middle_name',
      'last_name',
      'street',
      'city',
      'state_code',
      'zipcode',
      'include_historical_locations',
      'min_age',
      'max_age',
      'radius',
      'strict_match',
    ],
  },
  getPersonV1: { method: 'GET', path: '/v1/person/{id}', query: [] },
  searchPropertyV1: { method: 'GET', path: '/v1/property/', query: ['street', 'city', 'state_code', 'zip'] },
  listStates: { method: 'GET', path: '/v1/regions/states', query: [] },
  listCounties: { method: 'GET', path: '/v1/regions/states/{state_code}/counties', query: [] },
  createWebhook: { method: 'POST', path: '/v1/webhooks/', query: [] },
  listWebhooks: { method: 'GET', path: '/v1/webhooks/', query: ['status', 'event_type'] },
  getWebhook: { method: 'GET', path: '/v1/webhooks/{webhook_id}', query: [] },
  updateWebhook: { method: 'PATCH', path: '/v1/webhooks/{webhook_id}', query: [] },
  deleteWebhook: { method: 'DELETE', path: '/v1/webhooks/{webhook_id}', query: [] },
  rotateWebhookSecret: { method: 'POST', path: '/v1/webhooks/{webhook_id}/rotate_secret', query: [] },
  testWebhook: { method: 'POST', path: '/v1/webhooks/{webhook_id}/test', query: [] },
  searchPeople: {
    method: 'GET',
    path: '/v2/person/',
    query: [
      'phone',
      'name',
      'first_name',
      'middle_name',
      'last_name',
      'street',
      'city',
      'state_code',
      'zipcode',
      'include_historical_locations',
      'min_age',
      'max_age',
      'radius',
      'strict_match',
      'email',
      'include_fuzzy_matching',
      'page',
      'page_size',
    ],
  },
  getPerson: { method: 'GET', path: '/v2/person/{id}', query: [] },
  getPhone: { method: 'GET', path: '/v2/phone/{phone}', query: [] },
  searchProperty: {
    method: 'GET',
    path: '/v2/property/',
    query: ['street', 'city', 'state_code', 'zipcode', 'strict_match'],
  },
  getProperty: { method: 'GET', path: '/v2/property/{property_id}', query: [] },
} as const
