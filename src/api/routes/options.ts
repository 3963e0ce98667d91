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

/** The options of every route plugin. */
export interface RouteOptions {
  readonly meter: Meter
  readonly load: Load
  /** Limits the simultaneous calls to webhook endpoints that a request waits for. */
  readonly endpointCalls: Slots
  readonly served: Served
  readonly state: State
  readonly webhooks: Webhooks
  /** Which regions have deed events. */
  readonly eventRegions: EventRegions
  /** The enrichments in the background. */
  readonly jobs: Jobs
  /** Options for receiving input files. */
  readonly uploads: UploadOptions
  readonly envelopes: Envelopes
  /** The tokens that the internal endpoints accept. */
  readonly internalTokens: readonly string[]
  readonly now: Clock
  /** Returns the UTC day (`YYYY-MM-DD`) of a time in milliseconds since 1970. */
  readonly today: (at: number) => string
}
