/** Number of rows with positions in one reference build. */
export interface BuildCount {
  /** Name of the build, or '' for rows that do not name one. */
  readonly build: string
  readonly count: number
  /** Line of the first row in this build. */
  readonly line: number
}

/** The build of the positions in earlier records, and the source of these records. */
interface Earlier {
  readonly build: string
  readonly source: string
}

const KNOWN: ReadonlySet<string> = new Set(['', 'GRCh37', 'GRCh38'])

/** Finds rows of a source whose positions are in another reference build than those of other rows. */
export class Builds {
  #counts = new Map<string, { count: number; readonly line: number }>()
  #earlier: Earlier | undefined

  /** Starts the next source. The first build of earlier sources stays known. */
  begin(): void {
    this.#counts = new Map()
  }

  /** Adds one row. */
  add(build: string, line: number): void {
    const known = this.#counts.get(build)
    if (known) known.count++
    else this.#counts.set(build, { count: 1, line })
  }

  /** Adds the counts of further rows of the source. */
  absorb(counts: readonly BuildCount[]): void {
    for (const { build, count, line } of counts) {
      const known = this.#counts.get(build)
      if (known) known.count += count
      else this.#counts.set(build, { count, line })
    }
  }

  get counts(): readonly BuildCount[] {
    return [...this.#counts].map(([build, known]) => ({ build, ...known }))
  }

  /** Remembers a build of records from earlier sources. */
  know(build: string, source: string): void {
    this.#earlier ??= { build, source }
  }

  /** Returns the doubts about the builds of the source that ends, and remembers its first build. */
  end(source: string): readonly string[] {
    const { counts } = this
    const all = counts
      .map(({ build, count, line }) => `${count} of ${build || 'no build'} (from line ${line})`)
      .join(', ')
    const doubts: string[] = []
    if (counts.length > 1) doubts.push(`rows have positions of several reference builds: ${all}`)
    const unknown = counts.filter(({ build }) => !KNOWN.has(build))
    if (unknown.length > 0) {
      const names = unknown.map(({ build, line }) => `"${build}" in line ${line}`)
      doubts.push(
        `reference builds are unknown here, GRCh37 and GRCh38 are known: ${names.join(', ')}`,
      )
    }
    const named = counts.filter(({ build }) => build !== '')
    const other = named.find(({ build }) => this.#earlier && build !== this.#earlier.build)
    if (other && this.#earlier) {
      const { build, source: first } = this.#earlier
      doubts.push(
        `${other.count} rows have positions of ${other.build}, and those of "${first}" are of ${build}`,
      )
    }
    if (named[0]) this.know(named[0].build, source)
    return doubts
  }
}
