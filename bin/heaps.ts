import { setFlagsFromString } from 'node:v8'

/**
 * Flags that make V8 collect garbage early: first at 16 MB, then whenever a heap has grown by 60 percent. By
 * default, garbage grows to hundreds of megabytes, although nearly all important memory is outside V8's heaps.
 * The start script sets the first flag for this thread. The young generation of a thread has 1 MB. Helper
 * threads for such a small one cost more than they save, a fifth of the time of a batch.
 */
const SETTINGS = [
  '--initial-old-space-size=16',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
]

/** Applies the flags to this thread and to all threads started later. */
export function limitHeaps(): void {
  for (const setting of SETTINGS) setFlagsFromString(setting)
}

/**
 * Keeps the young generation of this thread small. A command that converts millions of records to text would let
 * it grow to three times 16 MB without need.
 */
export function keepYoungSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
