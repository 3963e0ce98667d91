/** FNV-1a, by which snapshots are written and read: of a text, begin with FNV_START and take in its codes one after the other. */
export const FNV_START = 0x811c9dc5

/** The hash with one more code (or byte) in it; of 32 bits, signed. */
export function fnvWith(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}
