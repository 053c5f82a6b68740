import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { isMainThread } from 'node:worker_threads'
import { collectGarbage } from '../../collect-garbage.ts'

// Loaded into a server before its program (`--import`): tells whoever connects to the socket TURNS_SOCKET what
// the main thread took since it was last asked, and what the process holds; who writes `collect` has garbage of the main
// thread collected first. Linux only, for /proc.

export interface TurnFigures {
  /**
   * Processor time of the main thread between two firings of a timer, for its longest turn. Other processes do
   * not count.
   */
  readonly processorMilliseconds: number
  /** The longest elapsed time between two firings. */
  readonly wallMilliseconds: number
  readonly residentBytes: number
  /** Bytes of the main thread's objects, in V8's heap and outside; garbage counts until it is collected. */
  readonly liveBytes: number
  /** The part in V8's heap of the main thread, and in its buffers. */
  readonly heapBytes: number
  readonly bufferBytes: number
  /** The peak of resident memory since the last report. */
  readonly peakBytes: number
  readonly descriptors: number
  /** The number of sockets among the open files. */
  readonly sockets: number
  /** The number of open files without a name, which are spools. */
  readonly unnamed: number
  readonly threads: number
  /** Resident memory by kind, if garbage was collected. */
  readonly kinds: Readonly<Record<MemoryKind, number>> | undefined
}

/**
 * `arenas`: memory that the system's allocator keeps for threads; `heap`: the same for the main thread. `files`:
 * mapped files. `others`: V8's heaps of all threads, their stacks, and buffers too large for an arena.
 */
export type MemoryKind = 'arenas' | 'files' | 'heap' | 'others'

const EVERY_MILLISECONDS = 5

function watch(path: string): void {
  const processorNow = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let worst = { processor: 0, wall: 0 }
  let last = { processor: processorNow(), wall: performance.now() }
  const look = () => {
    const now = { processor: processorNow(), wall: performance.now() }
    worst = {
      processor: Math.max(worst.processor, now.processor - last.processor),
      wall: Math.max(worst.wall, now.wall - last.wall),
    }
    last = now
  }
  setInterval(look, EVERY_MILLISECONDS).unref()
  const kibibytes = (text: string, name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    const wantsCollected = (await text(socket)) === 'collect'
    look()
    if (wantsCollected) {
      collectGarbage()
      // This measuring was no work for clients.
      last = { processor: processorNow(), wall: performance.now() }
    }
    // The external memory includes the array buffers.
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
    const status = readFileSync('/proc/self/status', 'utf8')
    const open = openFiles()
    const figures: TurnFigures = {
      processorMilliseconds: worst.processor,
      wallMilliseconds: worst.wall,
      residentBytes: kibibytes(status, 'VmRSS'),
      liveBytes: heapUsed + external,
      heapBytes: heapTotal,
      bufferBytes: arrayBuffers,
      peakBytes: kibibytes(status, 'VmHWM'),
      descriptors: open.length,
      sockets: open.filter((target) => target.startsWith('socket:')).length,
      unnamed: open.filter((target) => target.endsWith(' (deleted)')).length,
      threads: readdirSync('/proc/self/task').length,
      kinds: wantsCollected ? residentKinds() : undefined,
    }
    worst = { processor: 0, wall: 0 }
    // Writing 5 resets the peak.
    writeFileSync('/proc/self/clear_refs', '5')
    socket.end(JSON.stringify(figures))
  })
  server.listen(path).unref()
}

/**
 * The alignment and size of an arena of glibc: heaps of threads lie at multiples of it (malloc/arena.c,
 * HEAP_MAX_SIZE).
 */
const ARENA_BYTES = 64 << 20
const MAPPING = /^([0-9a-f]+)-\S+ \S+ \S+ \S+ (\d+) *(.*)\n(?:\w+:.*\n)*?Rss: +(\d+) kB/gm

function residentKinds(): Readonly<Record<MemoryKind, number>> {
  const kinds = { arenas: 0, files: 0, heap: 0, others: 0 }
  const mappings = readFileSync('/proc/self/smaps', 'utf8').matchAll(MAPPING)
  for (const [, begin = '', inode, path, kibibytes] of mappings) {
    const isArena = path === '' && Number.parseInt(begin, 16) % ARENA_BYTES === 0
    const kind =
      inode !== '0' ? 'files' : path === '[heap]' ? 'heap' : isArena ? 'arenas' : 'others'
    kinds[kind] += Number(kibibytes) * 1024
  }
  return kinds
}

/** The target of each file descriptor. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      // The descriptor was closed meanwhile, like the one that read the folder.
      return []
    }
  })
}

const { TURNS_SOCKET } = process.env
if (isMainThread && TURNS_SOCKET !== undefined) watch(TURNS_SOCKET)
