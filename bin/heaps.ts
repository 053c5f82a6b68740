import { setFlagsFromString } from 'node:v8'

/**
 * Flags that make V8 collect garbage early: at 16 MB at first, then whenever a heap has grown by 60 percent.
 * By default garbage grows to hundreds of megabytes, although nearly all relevant memory is outside V8's
 * heaps. The start script sets the first flag for this thread. The young generation of a thread has 1 MB, so
 * waking helper threads for it costs more than it saves, a fifth of a batch's time.
 */
const SETTINGS = [
  '--initial-old-space-size=16',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
]

/** Applies to this thread and all threads started later. */
export function limitHeaps(): void {
  for (const setting of SETTINGS) setFlagsFromString(setting)
}

/**
 * Keeps the young generation of this thread small. A command that converts millions of records to text never
 * uses them again, and would let it grow to three times 16 MB.
 */
export function keepYoungSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
