import type { Patient } from '../model.ts'
import { type BlockEnd, BlockReader } from '../read-blocks.ts'
import { formOf, type NeededItems, type ReadFile } from '../read-file.ts'

/** Yields the patients of a file with all items, read by a single thread. Returns the end of the file. */
export async function* patientsOf(
  file: ReadFile,
  needed: Omit<NeededItems, 'used'> = {},
): AsyncGenerator<Patient, Omit<BlockEnd, 'error'>> {
  const used = new Set(file.definitions.all().map(({ id }) => id))
  const reader = new BlockReader(formOf(file, { used, ...needed }))
  const rootFaults = [...file.faults]
  let end: BlockEnd = { rootFaults, nextLine: 1, rest: '' }
  const memoryFor = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes))
  for await (const { memory, start, place } of file.blocks(memoryFor)) {
    const bytes = Buffer.from(memory.buffer).subarray(start)
    end = yield* reader.patients(bytes, place)
    rootFaults.push(...end.rootFaults)
    if (end.error) throw end.error
  }
  return { ...end, rootFaults }
}
