/** Returns copies of both arrays, sorted by key as an unsigned 32-bit number. Values with equal keys keep their order. */
export function radixSort(keys: Int32Array, values: Int32Array): { keys: Int32Array; values: Int32Array } {
  const size = keys.length
  let fromKeys = keys
  let fromValues = values
  let toKeys: Int32Array = new Int32Array(size)
  let toValues: Int32Array = new Int32Array(size)
  const counts = new Int32Array(2048)
  for (let shift = 0; shift < 32; shift += 11) {
    counts.fill(0)
    for (let k = 0; k < size; k++) counts[(fromKeys[k]! >>> shift) & 2047]!++
    let sum = 0
    for (let digit = 0; digit < 2048; digit++) {
      const count = counts[digit]!
      counts[digit] = sum
      sum += count
    }
    for (let k = 0; k < size; k++) {
      const at = counts[(fromKeys[k]! >>> shift) & 2047]!++
      toKeys[at] = fromKeys[k]!
      toValues[at] = fromValues[k]!
    }
    const keysBefore = fromKeys
    const valuesBefore = fromValues
    fromKeys = toKeys
    fromValues = toValues
    toKeys = shift === 0 ? new Int32Array(size) : keysBefore
    toValues = shift === 0 ? new Int32Array(size) : valuesBefore
  }
  return { keys: fromKeys, values: fromValues }
}
