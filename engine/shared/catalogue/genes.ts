import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import type { Parameters } from '../database/values.ts'
import { EngineError } from '../errors.ts'

/** Location of a gene, in the coordinates of the loaded gene table. */
export interface GeneSpan {
  readonly geneId: string
  readonly symbol: string
  /** Name as loaded, with or without the prefix `chr`. */
  readonly chromosome: string
  /** First base, 1-based. Start and end are inclusive, as loaded. */
  readonly start: number
  readonly end: number
}

/** A row of the gene table. */
export interface GeneRow extends GeneSpan {
  readonly name: string | null
  readonly biotype: string | null
  readonly strand: 1 | -1 | null
}

interface GeneSpanRow {
  readonly gene_id: string
  readonly symbol: string
  readonly chromosome: string
  readonly start_pos: number
  readonly end_pos: number
}

const BY_SYMBOLS = keyedStatements(
  (places) => `SELECT gene_id, symbol, chromosome, start_pos, end_pos FROM genes
    WHERE symbol IN (${places}) ORDER BY gene_id`,
)
const INSERT = `
  INSERT INTO genes (gene_id, symbol, name, biotype, chromosome, start_pos, end_pos, strand)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** The gene model of the release, which finds genes by symbol. Reads the database at every call. */
export class GeneModel {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Returns the genes with these symbols (case-sensitive), keyed by symbol. Reads all in one query. A symbol can
   * have several genes, such as the PAR genes on X and Y. Unknown symbols are left out.
   */
  async bySymbols(symbols: readonly string[]): Promise<ReadonlyMap<string, readonly GeneSpan[]>> {
    const keys = symbols.filter(isSymbol)
    if (keys.length === 0) return new Map()
    const found = await this.#database.read((rows) =>
      rowsByKeys((sql, some) => rows.all<GeneSpanRow>(sql, some), BY_SYMBOLS, keys),
    )
    return Map.groupBy(found.map(spanOf), ({ symbol }) => symbol)
  }

  /** Returns the number of loaded genes. */
  async count(): Promise<number> {
    const sql = 'SELECT count(*) AS genes FROM genes'
    return (await this.#database.ask<{ genes: number }>(sql))[0]?.genes ?? 0
  }

  /**
   * Replaces all genes in one transaction, so that readers see either the old or the new model.
   * @returns the number of genes
   * @throws EngineError `bad_input` if an id occurs twice, in which case the old model remains
   */
  async replaceAll(genes: Iterable<GeneRow>): Promise<number> {
    const rows = [...distinct(genes)]
    await this.#database.write(async (transaction) => {
      await transaction.run('DELETE FROM genes')
      await transaction.runEach(INSERT, rows)
    })
    return rows.length
  }
}

/** A gene without a symbol is stored with an empty symbol, which a search must not match. */
function isSymbol(text: string): boolean {
  return text !== '' && text.isWellFormed() && !text.includes('\0')
}

function spanOf(row: GeneSpanRow): GeneSpan {
  return Object.freeze({
    geneId: row.gene_id,
    symbol: row.symbol,
    chromosome: row.chromosome,
    start: row.start_pos,
    end: row.end_pos,
  })
}

function* distinct(genes: Iterable<GeneRow>): Generator<Parameters> {
  const ids = new Set<string>()
  for (const gene of genes) {
    if (ids.has(gene.geneId)) {
      throw new EngineError(
        'bad_input',
        `gene id "${gene.geneId}" is given twice; each gene needs its own id`,
        { at: `genes[${ids.size}]` },
      )
    }
    ids.add(gene.geneId)
    yield [
      gene.geneId,
      gene.symbol,
      gene.name,
      gene.biotype,
      gene.chromosome,
      gene.start,
      gene.end,
      gene.strand,
    ]
  }
}
