import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Executor } from '../../shared/executor.ts'
import { mapAhead } from './ahead.ts'
import type { Alignment } from './alignment.ts'
import { type EdgeStep, edgeJob, formatOfSteps } from './edge.ts'
import type { Range } from './extent.ts'
import type { FinishedEdge, FinishedEdges } from './finished-edges.ts'
import { type CopiedPiece, type Piece, piecesByDirectory, piecesByWalk } from './pieces.ts'
import type { Chunk } from './plan.ts'
import { walkJob } from './walk.ts'

/**
 * Maximum number of copied bytes whose blocks are located by reading a file without a directory. Thousands of
 * blocks take about ten milliseconds, and more would delay the first byte.
 */
const MAX_WALKED_BYTES = 64 << 20

/** Maximum number of pieces of a slice that are separated by empty blocks. No real writer exceeds it. */
const MAX_PIECES = 100_000

interface PieceContext {
  readonly executor: Executor
  readonly edges: BufferPool
  readonly finished: FinishedEdges
  readonly signal: AbortSignal
  readonly ahead: () => number
  readonly turns: LoopTurns
  /** Whether each piece records what it was made from. */
  readonly keepsOrigins?: boolean | undefined
}

/** Builds the edges and locates the blocks of the copies, several at a time, in order. */
export async function* makePieces(
  alignment: Alignment,
  chunks: AsyncIterable<Chunk>,
  context: PieceContext,
): AsyncGenerator<Piece> {
  const spent = { walked: 0, pieces: 0 }
  const made = mapAhead(chunks, context.ahead, (chunk) =>
    chunk.kind === 'copy'
      ? copiedPieces(alignment, chunk, spent, context)
      : madePieces(alignment, chunk, context),
  )
  for await (const pieces of made) {
    // If thousands of edges are cached, the loop never waits, so it pauses by itself.
    await context.turns.pause()
    yield* pieces
  }
}

async function madePieces(
  alignment: Alignment,
  { steps }: Extract<Chunk, { kind: 'edge' }>,
  context: PieceContext,
): Promise<Piece[]> {
  const { bytes, places } = await finishedEdge(alignment, steps, context)
  const edge = context.keepsOrigins ? { steps, places } : undefined
  return bytes.length === 0 ? [] : [{ kind: 'made', bytes, edge }]
}

async function finishedEdge(
  alignment: Alignment,
  steps: readonly EdgeStep[],
  { executor, edges, finished, signal }: PieceContext,
): Promise<FinishedEdge> {
  const known = finished.find(alignment, steps)
  if (known) return known
  const { blob, header } = alignment
  const buffer = edges.take()
  try {
    const target = new Uint8Array(buffer.buffer, 0, buffer.length)
    const input = { format: formatOfSteps(header, steps), steps, target }
    const made = await blob.run(executor, edgeJob, input, { signal })
    const bytes = made.overflow ?? Uint8Array.from(buffer.subarray(0, made.length))
    finished.keep(alignment, steps, { bytes, places: made.places })
    return { bytes, places: made.places }
  } finally {
    edges.give(buffer)
  }
}

async function copiedPieces(
  alignment: Alignment,
  copy: Extract<Chunk, { kind: 'copy' }>,
  spent: { walked: number; pieces: number },
  context: PieceContext,
): Promise<Piece[]> {
  const pieces = await knownPieces(alignment, copy, spent, context)
  spent.pieces += pieces?.length ?? 0
  return pieces && spent.pieces <= MAX_PIECES ? pieces : [copy]
}

async function knownPieces(
  { blob, directory }: Alignment,
  { start, end }: Range,
  spent: { walked: number },
  { executor, signal }: PieceContext,
): Promise<CopiedPiece[] | undefined> {
  if (directory) return piecesByDirectory(directory, { start, end })
  spent.walked += end - start
  // Walking the blocks of a remote file would fetch all of its bytes twice.
  if (!blob.isLocal || spent.walked > MAX_WALKED_BYTES) return undefined
  const walked = await blob.run(executor, walkJob, { start, end }, { signal })
  return walked && piecesByWalk(walked)
}
