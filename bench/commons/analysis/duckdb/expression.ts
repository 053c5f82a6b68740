import type { Of } from '../questions.ts'
import type { WaysOf } from './ways.ts'

/** Lines as they are, under a header of one name. */
const ONE_COLUMN = `(FORMAT csv, HEADER true, DELIMITER '\x01', QUOTE '', ESCAPE '', NULL '')`

const listed = (ids: readonly string[]) => `[${ids.map((id) => `'${id}'`).join(',')}]`

type Part = Pick<Of<'values'>, 'genes' | 'cases'>

/** Names of rows, and places of columns counted from 1, as the question's ids are looked up. */
const names = ({ genes, cases }: Part) => `
  wanted_genes AS MATERIALIZED (SELECT gene_row, gene_id, symbol FROM matrix_genes
    WHERE gene_id IN (SELECT unnest(${listed(genes)}))),
  wanted_cases AS MATERIALIZED (SELECT case_row FROM matrix_cases
    WHERE case_id IN (SELECT unnest(${listed(cases)})))`

/** A row per gene with its numbers as a list, out of the table of one row per gene and case. */
const fromRows = (part: Part, number: string) => `${names(part)},
  chosen AS (SELECT gene_row, list(x ORDER BY case_row) AS xs, median(x) AS middle
    FROM (SELECT gene_row, case_row, ${number} AS x FROM expression
          SEMI JOIN wanted_genes USING (gene_row) SEMI JOIN wanted_cases USING (case_row))
    GROUP BY gene_row)`

/** The same out of the table of one row per gene. */
const fromLists = (part: Part, number: string) => `${names(part)},
  places AS MATERIALIZED (SELECT list(case_row + 1 ORDER BY case_row) AS places FROM wanted_cases),
  chosen AS (SELECT gene_row, xs, list_aggregate(xs, 'median') AS middle
    FROM (SELECT gene_row,
            list_transform(list_select("values", places), lambda value: ${number}) AS xs
          FROM expression_lists SEMI JOIN wanted_genes USING (gene_row), places))`

/** Five decimals by C's own printing, or by way of a decimal number. */
const PRINTED = {
  printf: `printf('%.5f', x - middle)`,
  decimal: `(x - middle)::DECIMAL(18, 5)::VARCHAR`,
}

function tableOf(question: Of<'values'>, from: typeof fromRows, printed: string): string {
  const isCentred = question.units !== 'uqfpkm'
  const header = ['gene_id', ...question.cases].join('\t')
  return `WITH ${from(question, isCentred ? 'log2(value + 1)' : 'value')}
    SELECT concat(gene_id, chr(9), array_to_string(
      list_transform(xs, lambda x: ${isCentred ? printed : 'x::VARCHAR'}), chr(9))) AS "${header}"
    FROM chosen JOIN wanted_genes USING (gene_row) ORDER BY gene_row`
}

const valueWay =
  (from: typeof fromRows, printed: string): NonNullable<WaysOf['values']>[string] =>
  async (question, client, path) => {
    await client.run(`COPY (${tableOf(question, from, printed)}) TO '${path}' ${ONE_COLUMN}`)
    return undefined
  }

export const valueWays: NonNullable<WaysOf['values']> = {
  'rows, printf': valueWay(fromRows, PRINTED.printf),
  'rows, decimals': valueWay(fromRows, PRINTED.decimal),
  'lists, printf': valueWay(fromLists, PRINTED.printf),
  'lists, decimals': valueWay(fromLists, PRINTED.decimal),
}

const selectionWay =
  (from: typeof fromRows, deviation: string, median: string) => (question: Of<'selection'>) =>
    `WITH ${from(question, 'log2(value + 1)')}
    SELECT gene_id, symbol, deviation, middle
    FROM (SELECT gene_row, ${deviation} AS deviation, ${median} AS middle FROM chosen)
    JOIN wanted_genes USING (gene_row)
    WHERE deviation > 0.0001 AND middle >= 1
    ORDER BY deviation DESC, middle, gene_id LIMIT ${question.size}`

const grouped = ({ genes, cases, size }: Of<'selection'>) => `WITH ${names({ genes, cases })}
  SELECT gene_id, symbol, deviation, middle
  FROM (SELECT gene_row, stddev_pop(x) AS deviation, median(x) AS middle
        FROM (SELECT gene_row, log2(value + 1) AS x FROM expression
              SEMI JOIN wanted_genes USING (gene_row) SEMI JOIN wanted_cases USING (case_row))
        GROUP BY gene_row)
  JOIN wanted_genes USING (gene_row)
  WHERE deviation > 0.0001 AND middle >= 1
  ORDER BY deviation DESC, middle, gene_id LIMIT ${size}`

const lists = selectionWay(fromLists, `list_aggregate(xs, 'stddev_pop')`, 'middle')

export const selectionWays: NonNullable<WaysOf['selection']> = {
  rows: (question, client) => client.rows(grouped(question)),
  lists: (question, client) => client.rows(lists(question)),
}
