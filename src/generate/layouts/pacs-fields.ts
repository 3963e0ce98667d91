/**
 * Fields of the PACS appraisal export 8.0.18 in their order: name, `n` for numbers (padded with zeros on the left) or `c` for
 * text (padded with spaces on the right), and width. From the districts' published layout.
 */

/** APPRAISAL_INFO.TXT, 8602 bytes a record. */
export const INFO = `
  prop_id:n12 prop_type_cd:c5 prop_val_yr:n5 sup_num:n12 sup_action:c2 sup_cd:c10 sup_desc:c500 geo_id:c50
  py_owner_id:n12 py_owner_name:c70 partial_owner:c1 udi_group:n12 filler:c2 py_addr_line1:c60 py_addr_line2:c60
  py_addr_line3:c60 py_addr_city:c50 py_addr_state:c50 py_addr_country:c5 py_addr_zip:c5 py_addr_zip_cass:c4
  py_addr_zip_rt:c2 py_confidential_flag:c1 py_address_suppress_flag:c1 filler:c20 py_addr_ml_deliverable:c1
  filler:c27 situs_street_prefx:c10 situs_street:c50 situs_street_suffix:c10 situs_city:c30 situs_zip:c10
  legal_desc:c255 legal_desc2:c255 legal_acreage:n16 abs_subdv_cd:c10 hood_cd:c10 block:c50 tract_or_lot:c50
  land_hstd_val:n15 land_non_hstd_val:n15 imprv_hstd_val:n15 imprv_non_hstd_val:n15 ag_use_val:n15 ag_market:n15
  timber_use:n15 timber_market:n15 appraised_val:n15 ten_percent_cap:n15 assessed_val:n15 filler:c20
  arb_protest_flag:c1 filler:n12 deed_book_id:c20 deed_book_page:c20 deed_dt:c25 mortgage_co_id:n12
  mortage_co_name:c70 mortgage_acct_id:c50 jan1_owner_id:n12 jan1_owner_name:c70 jan1_addr_line1:c60
  jan1_addr_line2:c60 jan1_addr_line3:c60 jan1_addr_city:c50 jan1_addr_state:c50 jan1_addr_country:c5
  jan1_addr_zip:c5 jan1_addr_zip_cass:c4 jan1_addr_zip_rt:c2 jan1_confidential_flag:c1 jan1_address_suppress_flag:c1
  filler:c37 jan1_ml_deliverable:c1 hs_exempt:c1 ov65_exempt:c1 ov65_prorate_begin:c25 ov65_prorate_end:c25
  ov65s_exempt:c1 dp_exempt:c1 dv1_exempt:c1 dv1s_exempt:c1 dv2_exempt:c1 dv2s_exempt:c1 dv3_exempt:c1 dv3s_exempt:c1
  dv4_exempt:c1 dv4s_exempt:c1 ex_exempt:c1 ex_prorate_begin:c25 ex_prorate_end:c25 lve_exempt:c1 ab_exempt:c1
  en_exempt:c1 fr_exempt:c1 ht_exempt:c1 pro_exempt:c1 pc_exempt:c1 so_exempt:c1 ex366_exempt:c1 ch_exempt:c1
  imprv_state_cd:c10 land_state_cd:c10 personal_state_cd:c10 mineral_state_cd:c10 land_acres:n20 entity_agent_id:n12
  entity_agent_name:c70 entity_agent_addr_line1:c60 entity_agent_addr_line2:c60 entity_agent_addr_line3:c60
  entity_agent_city:c50 entity_agent_state:c50 entity_agent_country:c5 entity_agent_zip:c5 entity_agent_cass:c4
  entity_agent_rt:c2 filler:c34 ca_agent_id:n12 ca_agent_name:c70 ca_agent_addr_line1:c60 ca_agent_addr_line2:c60
  ca_agent_addr_line3:c60 ca_agent_city:c50 ca_agent_state:c50 ca_agent_country:c5 ca_agent_zip:c5
  ca_agent_zip_cass:c4 ca_agent_zip_rt:c2 filler:c34 arb_agent_id:n12 arb_agent_name:c70 arb_agent_addr_line1:c60
  arb_agent_addr_line2:c60 arb_agent_addr_line3:c60 arb_agent_city:c50 arb_agent_state:c50 arb_agent_country:c5
  arb_agent_zip:c5 arb_agent_zip_cass:c4 arb_agent_zip_rt:c2 filler:c34 mineral_type_of_int:c5 mineral_int_pct:c15
  productivity_use_code:c3 filler:c40 timber_78_market:n12 ag_late_loss:n12 late_freeport_penalty:n12 filler:c2
  filler:c5 filler:c2 dba:c40 filler:c38 market_value:n14 filler:c20 filler:c20 filler:c20 filler:c1 filler:c1
  filler:c70 ov65_deferral_date:c25 dp_deferral_date:c25 ref_id1:c25 ref_id2:c25 situs_num:c15 situs_unit:c5
  appr_owner_id:n12 appr_owner_name:c70 appr_addr_line1:c60 appr_addr_line2:c60 appr_addr_line3:c60
  appr_addr_city:c50 appr_addr_state:c50 appr_addr_country:c5 appr_addr_zip:c5 appr_addr_zip_cass:c4
  appr_addr_zip_cass_route:c2 appr_ml_deliverable:c1 appr_confidential_flag:c1 appr_address_suppress_flag:c1
  appr_confidential_name:c70 py_confidential_name:c70 jan1_confidential_name:c70 filler:c5 rendition_filed:c1
  rendition_date:c25 rendition_penalty:n15 rendition_penalty_date_paid:c25 rendition_fraud_penalty:n15
  rendition_fraud_penalty_date_paid:c25 filler:c20 entities:c140 eco_exempt:c1 dataset_id:n15 deed_num:c50
  chodo_exempt:c1 local_option_pct_only_flag_hs:c1 local_option_pct_only_flag_ov65:c1
  local_option_pct_only_flag_ov65s:c1 local_option_pct_only_flag_dp:c1 freeze_only_flag_ov65:c1
  freeze_only_flag_ov65s:c1 freeze_only_flag_dp:c1 apply_percent_exemption_flag:c1 exemption_percentage:n15
  vit_flag:c1 lih_exempt:c1 git_exempt:c1 dps_exempt:c1 dps_deferral_date:c25 local_option_pct_only_flag_dps:c1
  freeze_only_flag_dps:c1 dvhs_exempt:c1 hs_qualify_yr:n4 ov65_qualify_yr:n4 ov65s_qualify_yr:n4 dp_qualify_yr:n4
  dps_qualify_yr:n4 dv1_qualify_yr:n4 dv1s_qualify_yr:n4 dv2_qualify_yr:n4 dv2s_qualify_yr:n4 dv3_qualify_yr:n4
  dv3s_qualify_yr:n4 dv4_qualify_yr:n4 dv4s_qualify_yr:n4 dvhs_qualify_yr:n4 ex_qualify_yr:n4 ab_qualify_yr:n4
  en_qualify_yr:n4 fr_qualify_yr:n4 ht_qualify_yr:n4 pro_qualify_yr:n4 pc_qualify_yr:n4 so_qualify_yr:n4
  ex366_qualify_yr:n4 ch_qualify_yr:n4 eco_qualify_yr:n4 chodo_qualify_yr:n4 lih_qualify_yr:n4 git_qualify_yr:n4
  mortgage_addr_line1:c60 mortgage_addr_line2:c60 mortgage_addr_line3:c60 mortgage_addr_city:c50
  mortgage_addr_state:c50 mortgage_addr_country:c5 mortgage_addr_zip:c5 mortgage_addr_zip_cass:c4
  mortgage_addr_zip_rt:c2 mortgage_addr_ml_deliverable:c1 sic_code:c10 omitted_property_flag:c1 hs_prorate_begin:c25
  hs_prorate_end:c25 ov65s_prorate_begin:c25 ov65s_prorate_end:c25 dp_prorate_begin:c25 dp_prorate_end:c25
  dv1_prorate_begin:c25 dv1_prorate_end:c25 dv1s_prorate_begin:c25 dv1s_prorate_end:c25 dv2_prorate_begin:c25
  dv2_prorate_end:c25 dv2s_prorate_begin:c25 dv2s_prorate_end:c25 dv3_prorate_begin:c25 dv3_prorate_end:c25
  dv3s_prorate_begin:c25 dv3s_prorate_end:c25 dv4_prorate_begin:c25 dv4_prorate_end:c25 dv4s_prorate_begin:c25
  dv4s_prorate_end:c25 lve_prorate_begin:c25 lve_prorate_end:c25 ab_prorate_begin:c25 ab_prorate_end:c25
  en_prorate_begin:c25 en_prorate_end:c25 fr_prorate_begin:c25 fr_prorate_end:c25 ht_prorate_begin:c25
  ht_prorate_end:c25 pro_prorate_begin:c25 pro_prorate_end:c25 pc_prorate_begin:c25 pc_prorate_end:c25
  so_prorate_begin:c25 so_prorate_end:c25 ex366_prorate_begin:c25 ex366_prorate_end:c25 ch_prorate_begin:c25
  ch_prorate_end:c25 dps_prorate_begin:c25 dps_prorate_end:c25 eco_prorate_begin:c25 eco_prorate_end:c25
  chodo_prorate_begin:c25 chodo_prorate_end:c25 lih_prorate_begin:c25 lih_prorate_end:c25 git_prorate_begin:c25
  git_prorate_end:c25 clt_exempt:c1 clt_prorate_begin:c25 clt_prorate_end:c25 clt_qualify_yr:n4 dvhss_exempt:c1
  dvhss_prorate_begin:c25 dvhss_prorate_end:c25 dvhss_qualify_yr:n4 omitted_imprv_hstd_val:n15
  omitted_imprv_non_hstd_val:n15 dvhs_prorate_begin:c25 dvhs_prorate_end:c25 ex_xd_exempt:c1 ex_xd_qualify_yr:n4
  ex_xd_prorate_begin:c25 ex_xd_prorate_end:c25 ex_xf_exempt:c1 ex_xf_qualify_yr:n4 ex_xf_prorate_begin:c25
  ex_xf_prorate_end:c25 ex_xg_exempt:c1 ex_xg_qualify_yr:n4 ex_xg_prorate_begin:c25 ex_xg_prorate_end:c25
  ex_xh_exempt:c1 ex_xh_qualify_yr:n4 ex_xh_prorate_begin:c25 ex_xh_prorate_end:c25 ex_xi_exempt:c1
  ex_xi_qualify_yr:n4 ex_xi_prorate_begin:c25 ex_xi_prorate_end:c25 ex_xj_exempt:c1 ex_xj_qualify_yr:n4
  ex_xj_prorate_begin:c25 ex_xj_prorate_end:c25 ex_xl_exempt:c1 ex_xl_qualify_yr:n4 ex_xl_prorate_begin:c25
  ex_xl_prorate_end:c25 ex_xm_exempt:c1 ex_xm_qualify_yr:n4 ex_xm_prorate_begin:c25 ex_xm_prorate_end:c25
  ex_xn_exempt:c1 ex_xn_qualify_yr:n4 ex_xn_prorate_begin:c25 ex_xn_prorate_end:c25 ex_xo_exempt:c1
  ex_xo_qualify_yr:n4 ex_xo_prorate_begin:c25 ex_xo_prorate_end:c25 ex_xp_exempt:c1 ex_xp_qualify_yr:n4
  ex_xp_prorate_begin:c25 ex_xp_prorate_end:c25 ex_xq_exempt:c1 ex_xq_qualify_yr:n4 ex_xq_prorate_begin:c25
  ex_xq_prorate_end:c25 ex_xr_exempt:c1 ex_xr_qualify_yr:n4 ex_xr_prorate_begin:c25 ex_xr_prorate_end:c25
  ex_xs_exempt:c1 ex_xs_qualify_yr:n4 ex_xs_prorate_begin:c25 ex_xs_prorate_end:c25 ex_xt_exempt:c1
  ex_xt_qualify_yr:n4 ex_xt_prorate_begin:c25 ex_xt_prorate_end:c25 ex_xu_exempt:c1 ex_xu_qualify_yr:n4
  ex_xu_prorate_begin:c25 ex_xu_prorate_end:c25 ex_xv_exempt:c1 ex_xv_qualify_yr:n4 ex_xv_prorate_begin:c25
  ex_xv_prorate_end:c25 ex_xa_exempt:c1 ex_xa_qualify_yr:n4 ex_xa_prorate_begin:c25 ex_xa_prorate_end:c25
  lve_qualify_yr:n4 ppv_exempt:c1 ppv_qualify_yr:n4 ppv_prorate_begin:c25 ppv_prorate_end:c25 dvch_exempt:c1
  dvch_qualify_yr:n4 dvch_prorate_begin:c25 dvch_prorate_end:c25 dvchs_exempt:c1 dvchs_qualify_yr:n4
  dvchs_prorate_begin:c25 dvchs_prorate_end:c25 masss_exempt:c1 masss_qualify_yr:n4 masss_prorate_begin:c25
  masss_prorate_end:c25 pp_late_interstate_allocation_val:n15
`

/** APPRAISAL_IMPROVEMENT_INFO.TXT, 114 bytes a record. */
export const IMPROVEMENT_INFO = `
  prop_id:n12 prop_val_yr:n4 imprv_id:n12 imprv_type_cd:c10 imprv_type_desc:c25 imprv_state_cd:c5 imprv_homesite:c1
  imprv_val:n14 imprv_homesite_pct:n15 omitted:c1 omitted_imprv_val:n15
`

/** APPRAISAL_IMPROVEMENT_DETAIL.TXT, 622 bytes a record. */
export const IMPROVEMENT_DETAIL = `
  prop_id:n12 prop_val_yr:n4 imprv_id:n12 imprv_det_id:n12 Imprv_det_type_cd:c10 Imprv_det_type_desc:c25
  Imprv_det_class_cd:c10 yr_built:n4 depreciation_yr:n4 imprv_det_area:n15 imprv_det_val:n14 sketch_cmds:c500
`

/** APPRAISAL_LAND_DETAIL.TXT, 199 bytes a record. */
export const LAND_DETAIL = `
  prop_id:n12 prop_val_yr:n4 land_seg_id:n12 land_type_cd:c10 land_type_desc:c25 state_cd:c5 land_seg_homesite:c1
  size_acres:n14 size_square_feet:n14 effective_front:n14 effective_depth:n14 mkt_ls_method:c5 mkt_ls_class:c10
  land_seg_mkt_val:n14 ag_apply:c1 ag_ls_method:c5 ag_ls_class:c10 ag_value:n14 land_homesite_pct:n15
`
