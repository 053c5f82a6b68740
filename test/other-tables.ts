import {
  GENE_COLUMN,
  SYMBOL_COLUMNS,
  TYPE_COLUMNS,
  VALUE_COLUMN,
} from '../engine/commons/import/expression/table-form.ts'
import {
  type CellReader,
  categoriesIn,
  flagIn,
  listIn,
  textIn,
  yearIn,
} from '../engine/registry/codes/category-columns.ts'
import { HCPCS_LAYOUTS } from '../engine/registry/codes/hcpcs/layouts.ts'
import { PROCEDURE_CATEGORIES } from '../engine/registry/codes/hcpcs/procedure-categories.ts'
import type { CategoryArea } from '../engine/registry/codes/import-categories.ts'
import { PACKAGE_LAYOUTS, PRODUCT_LAYOUTS } from '../engine/registry/codes/ndc/layouts.ts'
import { PRODUCT_CATEGORIES } from '../engine/registry/codes/ndc/product-categories.ts'
import { dayIn, matching, wholeIn } from '../engine/registry/codes/tables/cells.ts'
import { DROPPED, type TableLayout } from '../engine/registry/codes/tables/layout.ts'
import { RowError } from '../engine/registry/codes/tables/row-error.ts'
import { LAYOUTS } from '../engine/registry/multiple-primaries/parse-hematopoietic.ts'
import { TEXT_MEMBERS } from '../engine/registry/naaccr/model.ts'
import { GENE_COLUMNS, REQUIRED_GENE_COLUMNS } from '../engine/shared/catalogue/gene-table.ts'
import { MANIFEST_COLUMNS } from '../engine/shared/input/manifest-columns.ts'

// Tables of the reference that are generated from declarations other than those of the commons.

const code = (name: string) => `\`${name}\``
const codes = (names: readonly string[]) => names.map(code).join(', ')
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** The possible cells of a column of codes, by the use of the column. */
const USES: Readonly<Record<string, string>> = {
  text: 'text',
  part: 'text',
  day: 'day',
  list: 'list',
  classes: 'list',
  places: 'list',
  sequence: 'whole',
  code: 'code',
  'product code': 'code',
  'package code': 'code',
  'ten digits': 'code',
  segments: 'code',
}

function layoutRows(layout: TableLayout): readonly string[] {
  const used = Object.entries(layout.columns).filter(([, use]) => use !== DROPPED)
  const dropped = Object.keys(layout.columns).filter((name) => layout.columns[name] === DROPPED)
  return [
    ...used.map(([name, use]) => row(code(name), USES[(use as { as: string }).as] ?? '', 'yes')),
    ...(dropped.length > 0 ? [row(codes(dropped), 'not read', '')] : []),
  ]
}

const READERS: ReadonlyMap<CellReader, string> = new Map<CellReader, string>([
  ...([
    [textIn, 'text'],
    [listIn, 'list'],
    [flagIn, 'flag'],
    [yearIn, 'year'],
  ] as const),
  [categoriesIn, 'categories'],
])

const categoryRows = ({ codes: names, members, aliases }: CategoryArea): readonly string[] => [
  row(codes(names), 'code', 'yes'),
  ...Object.entries(members).map(([name, read]) => {
    const others = Object.keys(aliases).filter((alias) => aliases[alias] === name)
    return row(codes([name, ...others]), READERS.get(read) ?? '', '')
  }),
]

const GENE_CELLS: Readonly<Record<string, string>> = {
  start: 'whole',
  end: 'whole',
  strand: 'strand',
}

/** The kinds by their headings, with the rows of their columns. */
export const OTHER_TABLES: Readonly<Record<string, readonly string[]>> = {
  'Manifest of `casemill get` and `import files`': Object.entries(MANIFEST_COLUMNS).map(
    ([field, names]) =>
      row(
        codes(names),
        field === 'size' ? 'whole' : 'text',
        field === 'id' ? 'yes' : '`import files`',
      ),
  ),
  'Table of `import genes`': Object.entries(GENE_COLUMNS).map(([field, names]) => {
    const isNeeded = REQUIRED_GENE_COLUMNS.some((needed) => needed === field)
    return row(codes(names), GENE_CELLS[field] ?? 'text', isNeeded ? 'yes' : '')
  }),
  'Table of `import expression`': [
    row(code(GENE_COLUMN), 'gene', 'in files of one sample'),
    row(code(VALUE_COLUMN), 'number', 'in files of one sample'),
    row(codes(TYPE_COLUMNS), 'text', ''),
    row(codes(SYMBOL_COLUMNS), 'text', ''),
  ],
  ...Object.fromEntries(
    [...PRODUCT_LAYOUTS, ...PACKAGE_LAYOUTS].map((layout) => [
      `Table of \`import ndc\`: ${layout.name}`,
      layoutRows(layout),
    ]),
  ),
  ...Object.fromEntries(
    HCPCS_LAYOUTS.map((layout) => [
      `Table of \`import hcpcs\`: ${layout.name}`,
      layoutRows(layout),
    ]),
  ),
  'Table of `import ndc-categories`': categoryRows(PRODUCT_CATEGORIES),
  'Table of `import hcpcs-categories`': categoryRows(PROCEDURE_CATEGORIES),
  'Tables of `import hematopoietic`': Object.values(LAYOUTS).map(({ columns }) =>
    row(codes(columns), 'text, numbers and years', 'yes'),
  ),
  'Table of `import naaccr --members`': [
    row(codes(['item_number', 'xml_naaccr_id']), 'text', 'one of them'),
    ...TEXT_MEMBERS.filter((name) => name !== 'item_number' && name !== 'xml_naaccr_id').map(
      (name) => row(code(name), 'text', ''),
    ),
  ],
}

/** How each kind of cell in tables of codes is read, with the same doubtful numbers in its form. */
const CODE_CELLS: readonly (readonly [
  name: string,
  read: CellReader,
  numbers: readonly string[],
])[] = [
  ['text', textIn, ['2001.0', '2.001e+03', '22,280']],
  ['list', listIn, ['2001.0', '2.001e+03', '22,280']],
  ['day', dayIn, ['20190501.0', '2.0190501e7', '20,190,501']],
  ['whole', (cell, column) => wholeIn(cell, column, 'whole'), ['2001.0', '2.001e+03', '22,280']],
  ['year', yearIn, ['2001.0', '2.001e+03', '2,001']],
  ['flag', flagIn, ['1.0', '1e0', '1,0']],
  ['categories', categoriesIn, ['2001.0', '2.001e+03', '22,280']],
  ['code', (cell, column) => matching(cell, column, /^[A-Z0-9]{5}$/, ''), ['1.0', '1e+0', '1,0']],
]

const CELLS = ['nan', 'NA', '', 'abc']
export const CODE_CELL_HEADER = row(
  ...['Cells', 'a number with `.0`', 'an exponent', 'a comma', '`nan`', '`NA`', 'empty', '`abc`'],
)

/** The handling of doubtful cells in tables of codes, determined by reading them. */
export const CODE_CELL_ROWS: readonly string[] = CODE_CELLS.map(([name, read, numbers]) =>
  row(name, ...[...numbers, ...CELLS].map((cell) => outcomeOf(read, cell))),
)

function outcomeOf(read: CellReader, cell: string): string {
  try {
    return read(cell, 'C') === undefined ? 'empty' : 'taken'
  } catch (error) {
    if (error instanceof RowError) return 'row refused'
    throw error
  }
}
