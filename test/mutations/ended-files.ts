import type { Reporter } from 'vitest/node'

/** Reports each test file that has ended to the process that started Vitest. */
export default class EndedFiles implements Reporter {
  onTestModuleEnd(): void {
    process.send?.('ended')
  }
}
