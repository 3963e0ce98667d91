import type { Caller } from '../state/key-ring.ts'
import type { Snapshots } from './snapshots.ts'

/** The live and the test snapshots. */
export class Served {
  /** The snapshots that the nightly runs publish. */
  readonly live: Snapshots
  /** Made-up people for test keys. */
  readonly test: Snapshots

  constructor(live: Snapshots, test: Snapshots) {
    this.live = live
    this.test = test
  }

  /** Returns the snapshots for a caller. Routes read people's data only through this method, so a test key never reaches real people. */
  of(caller: Caller | null): Snapshots {
    return caller?.key.is_test === true ? this.test : this.live
  }

  async close(): Promise<void> {
    await this.live.close()
    await this.test.close()
  }
}
