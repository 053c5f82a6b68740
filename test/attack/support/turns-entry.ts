import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { isMainThread } from 'node:worker_threads'
import { collectGarbage } from '../../collect-garbage.ts'

// Loaded into a server before its program (`--import`): tells whoever connects to the socket TURNS_SOCKET what
// the main thread took since it was last asked, and what the process holds; who writes `collect` has garbage of the main
// thread collected first. Linux only, for /proc.

export interface TurnFigures {
  /** Processor time of the main thread between two firings of a timer: of its longest turn, whatever else runs. */
  readonly processorMilliseconds: number
  /** Between two firings, by the clock. */
  readonly wallMilliseconds: number
  readonly residentBytes: number
  /** What the main thread's objects take, in V8's heap and outside; garbage counts until it is collected. */
  readonly liveBytes: number
  /** Of them: V8's heap of the main thread, and buffers of all of it. */
  readonly heapBytes: number
  readonly bufferBytes: number
  /** The most that was resident since it was last asked. */
  readonly peakBytes: number
  readonly descriptors: number
  /** Among them. */
  readonly sockets: number
  /** Open files that have no name any more: spools. */
  readonly unnamed: number
  readonly threads: number
  /** What is resident by what it is, where garbage was collected. */
  readonly kinds: Readonly<Record<MemoryKind, number>> | undefined
}

/**
 * `arenas`: what the system's allocator keeps for threads; `heap`: for the main thread. `files`: mapped ones. `others`:
 * V8's heaps of all threads, their stacks, and buffers that are too large for an arena.
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
      // That was no work for clients.
      last = { processor: processorNow(), wall: performance.now() }
    }
    // What is external has the buffers in it.
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
    // The peak begins anew.
    writeFileSync('/proc/self/clear_refs', '5')
    socket.end(JSON.stringify(figures))
  })
  server.listen(path).unref()
}

/** Begin and size of an arena of glibc: heaps of threads lie at multiples of it (malloc/arena.c, HEAP_MAX_SIZE). */
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

/** What each descriptor leads to. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      // Closed meanwhile, as the one that read the folder.
      return []
    }
  })
}

const { TURNS_SOCKET } = process.env
if (isMainThread && TURNS_SOCKET !== undefined) watch(TURNS_SOCKET)
