/** APPRAISAL_IMPROVEMENT_INFO, 114 bytes: what stands on a property. */
export const IMPROVEMENT_INFO_COLUMNS = [
  { name: 'prop_id', start: 1, end: 12 },
  { name: 'prop_val_yr', start: 13, end: 16 },
  { name: 'imprv_id', start: 17, end: 28 },
  { name: 'imprv_type_cd', start: 29, end: 38 },
  { name: 'imprv_type_desc', start: 39, end: 63 },
  { name: 'imprv_state_cd', start: 64, end: 68 },
  { name: 'imprv_homesite', start: 69, end: 69 },
  { name: 'imprv_val', start: 70, end: 83 },
  { name: 'imprv_homesite_pct', start: 84, end: 98 },
  { name: 'omitted', start: 99, end: 99 },
  { name: 'omitted_imprv_val', start: 100, end: 114 },
]

/** APPRAISAL_IMPROVEMENT_DETAIL, 622 bytes: the parts of an improvement (main area, porch, garage …). */
export const IMPROVEMENT_DETAIL_COLUMNS = [
  { name: 'prop_id', start: 1, end: 12 },
  { name: 'prop_val_yr', start: 13, end: 16 },
  { name: 'imprv_id', start: 17, end: 28 },
  { name: 'imprv_det_id', start: 29, end: 40 },
  { name: 'Imprv_det_type_cd', start: 41, end: 50 },
  { name: 'Imprv_det_type_desc', start: 51, end: 75 },
  { name: 'Imprv_det_class_cd', start: 76, end: 85 },
  { name: 'yr_built', start: 86, end: 89 },
  { name: 'depreciation_yr', start: 90, end: 93 },
  { name: 'imprv_det_area', start: 94, end: 108 },
  { name: 'imprv_det_val', start: 109, end: 122 },
  { name: 'sketch_cmds', start: 123, end: 622 },
]

/** APPRAISAL_LAND_DETAIL, 199 bytes: pieces of land. */
export const LAND_DETAIL_COLUMNS = [
  { name: 'prop_id', start: 1, end: 12 },
  { name: 'prop_val_yr', start: 13, end: 16 },
  { name: 'land_seg_id', start: 17, end: 28 },
  { name: 'land_type_cd', start: 29, end: 38 },
  { name: 'land_type_desc', start: 39, end: 63 },
  { name: 'state_cd', start: 64, end: 68 },
  { name: 'land_seg_homesite', start: 69, end: 69 },
  { name: 'size_acres', start: 70, end: 83 },
  { name: 'size_square_feet', start: 84, end: 97 },
  { name: 'effective_front', start: 98, end: 111 },
  { name: 'effective_depth', start: 112, end: 125 },
  { name: 'mkt_ls_method', start: 126, end: 130 },
  { name: 'mkt_ls_class', start: 131, end: 140 },
  { name: 'land_seg_mkt_val', start: 141, end: 154 },
  { name: 'ag_apply', start: 155, end: 155 },
  { name: 'ag_ls_method', start: 156, end: 160 },
  { name: 'ag_ls_class', start: 161, end: 170 },
  { name: 'ag_value', start: 171, end: 184 },
  { name: 'land_homesite_pct', start: 185, end: 199 },
]
