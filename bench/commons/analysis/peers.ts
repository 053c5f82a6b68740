import { openDuck } from './duckdb/peer.ts'
import type { Input } from './input.ts'
import { startPython } from './python-peer.ts'
import type { Kind } from './questions.ts'
import { hasR, startR } from './r-peer.ts'
import type { Contestant, Peer } from './way.ts'

/** Everybody else who takes part. */
export interface Peers {
  readonly versions: Readonly<Record<string, string>>
  /** In words, who is not installed. */
  readonly missing: readonly string[]
  readonly contestants: (kind: Kind) => readonly Contestant[]
}

/** Whoever is not installed is left out and told. */
export async function withPeers<Result>(
  input: Input,
  { python, scratch }: { readonly python: string | undefined; readonly scratch: string },
  use: (peers: Peers) => Promise<Result>,
): Promise<Result> {
  const missing: string[] = []
  const started: Peer[] = [await openDuck(input.duck, scratch)]
  try {
    if (python) started.push(await startPython(python, input, scratch))
    else
      missing.push(
        'no Python with numpy, pandas, h5py and scipy: they and single cells are left out',
      )
    if (await hasR()) started.push(await startR(input.donors, scratch))
    else missing.push('no R with survival: it is left out')
    return await use({
      versions: Object.assign({}, ...started.map(({ versions }) => versions)),
      missing,
      contestants: (kind) => started.flatMap((peer) => peer.contestants(kind)),
    })
  } finally {
    await Promise.all(started.map((peer) => peer.stop()))
  }
}
