import type { Clock } from '../../clock.ts'
import type { EventRegions } from '../../events/event-regions.ts'
import type { Jobs } from '../../enrich/jobs/jobs.ts'
import type { State } from '../../state/open.ts'
import type { Webhooks } from '../../webhooks/open.ts'
import type { Load } from '../load.ts'
import type { Meter } from '../meter.ts'
import type { Envelopes } from '../reply.ts'
import type { Served } from '../served.ts'
import type { Slots } from '../slots.ts'
import type { UploadOptions } from '../uploads.ts'

/** What every route plugin is handed. */
export interface RouteOptions {
  readonly meter: Meter
  readonly load: Load
  /** Calls to callers' own servers, of which a caller waits for the answer. */
  readonly outsideCalls: Slots
  readonly served: Served
  readonly state: State
  readonly webhooks: Webhooks
  /** Which regions have deed events. */
  readonly eventRegions: EventRegions
  /** Lists that are enriched in the background. */
  readonly jobs: Jobs
  /** How lists come in. */
  readonly uploads: UploadOptions
  readonly envelopes: Envelopes
  /** Tokens that the internal endpoints take. */
  readonly internalTokens: readonly string[]
  /** The UTC day of an instant in milliseconds, `YYYY-MM-DD`. */
  readonly now: Clock
  readonly today: (at: number) => string
}
