import { DROPPED, type TableLayout } from '../tables/layout.ts'
import type { ListedContent } from './procedure.ts'

/** The use of a column. */
export type HcpcsUse =
  | { readonly as: 'code' }
  /** Rows with the same code have parts of its description in this order. The first row has the other columns. */
  | { readonly as: 'sequence' }
  | { readonly as: 'part' }
  | { readonly as: 'day'; readonly procedure: Exclude<keyof ListedContent, 'description'> }

export interface HcpcsLayout extends TableLayout {
  readonly columns: Readonly<Record<string, HcpcsUse | typeof DROPPED>>
}

export const HCPCS_LAYOUTS: readonly HcpcsLayout[] = Object.freeze([
  {
    name: 'procedures of level II',
    columns: {
      HCPCS_CD: { as: 'code' },
      HCPCS_SQNC_NUM: { as: 'sequence' },
      HCPCS_REC_IDENT_CD: DROPPED,
      HCPCS_LONG_DESC_TXT: { as: 'part' },
      HCPCS_SHRT_DESC_TXT: DROPPED,
      HCPCS_PRCNG_IND_CD: DROPPED,
      HCPCS_MLTPL_PRCNG_IND_CD: DROPPED,
      HCPCS_CIM_RFRNC_SECT_NUM: DROPPED,
      HCPCS_MCM_RFRNC_SECT_NUM: DROPPED,
      HCPCS_STATUTE_NUM: DROPPED,
      HCPCS_LAB_CRTFCTN_CD: DROPPED,
      HCPCS_XREF_CD: DROPPED,
      HCPCS_CVRG_CD: DROPPED,
      HCPCS_ASC_PMT_GRP_CD: DROPPED,
      HCPCS_ASC_PMT_GRP_EFCTV_DT: DROPPED,
      HCPCS_MOG_PMT_GRP_CD: DROPPED,
      HCPCS_MOG_PMT_PLCY_IND_CD: DROPPED,
      HCPCS_MOG_PMT_GRP_EFCTV_DT: DROPPED,
      HCPCS_PRCSG_NOTE_NUM: DROPPED,
      HCPCS_BETOS_CD: DROPPED,
      HCPCS_TYPE_SRVC_CD: DROPPED,
      HCPCS_ANSTHSA_BASE_UNIT_QTY: DROPPED,
      HCPCS_CD_ADD_DT: { as: 'day', procedure: 'cms_approval_date' },
      HCPCS_ACTN_EFCTV_DT: DROPPED,
      HCPCS_TERMNTN_DT: { as: 'day', procedure: 'cms_discontinuation_date' },
      HCPCS_ACTN_CD: DROPPED,
    },
  },
])
