import type { Caller } from '../state/key-ring.ts'
import type { Snapshots } from './snapshots.ts'

/** The snapshots that callers are answered from. */
export class Served {
  /** The snapshots that the nightly runs publish. */
  readonly live: Snapshots
  /** Invented people for test keys. */
  readonly test: Snapshots

  constructor(live: Snapshots, test: Snapshots) {
    this.live = live
    this.test = test
  }

  /** The snapshots for this caller. Routes have no other way to people's data, so a test key never reaches real people. */
  of(caller: Caller | null): Snapshots {
    return caller?.key.is_test === true ? this.test : this.live
  }

  async close(): Promise<void> {
    await this.live.close()
    await this.test.close()
  }
}
