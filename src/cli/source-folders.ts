import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'

const OWN = fileURLToPath(new URL('../../pipelines/sources', import.meta.url))

/** Returns the folders of source definitions: pipelines/sources, `PLATBOOK_SOURCES`, and those of `--sources`. */
export function sourceFolders(config: Pick<Config, 'PLATBOOK_SOURCES'>, named: string[] = []): string[] {
  return [
    ...new Set([OWN, ...(config.PLATBOOK_SOURCES === undefined ? [] : [config.PLATBOOK_SOURCES]), ...named]),
  ]
}
