import { fileURLToPath } from 'node:url'

/** Where code is kept compiled, as src/cli/platbook.mjs has it, which an older Node must be able to read. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/platbook', import.meta.url))
