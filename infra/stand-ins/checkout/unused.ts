/**
 * Fields of Stripe's objects that the product does not use. Answers have all fields, so that code which reads one behaves
 * here as at Stripe.
 */

type Unused = Readonly<Record<string, unknown>>

const nulls = (names: string): Unused => Object.fromEntries(names.split(/\s+/).map((name) => [name, null]))

const EMPTY_DETAILS = nulls('address business_name individual_name name phone tax_ids')

export const customerDetails = (email: string): Unused => ({ ...EMPTY_DETAILS, email, tax_exempt: 'none' })

export const SESSION: Unused = {
  ...nulls(`after_expiration allow_promotion_codes billing_address_collection client_secret collected_information
    consent consent_collection currency_conversion customer_account customer_creation discounts integration_identifier
    invoice invoice_creation locale managed_payments origin_context payment_link payment_method_collection
    payment_method_configuration_details payment_method_options permissions phone_number_collection recovered_from
    saved_payment_method_options setup_intent shipping_address_collection shipping_cost submit_type subscription ui_mode
    wallet_options`),
  adaptive_pricing: { enabled: false },
  automatic_tax: { enabled: false, ...nulls('liability provider status') },
  custom_fields: [],
  custom_text: nulls('after_submit shipping_address submit terms_of_service_acceptance'),
  shipping_options: [],
}

export const INTENT: Unused = {
  ...nulls(`allowed_payment_method_types amount_details application application_fee_amount automatic_payment_methods
    canceled_at cancellation_reason client_secret customer customer_account excluded_payment_method_types
    last_payment_error managed_payments next_action on_behalf_of payment_method payment_method_configuration_details
    payment_method_options processing receipt_email review setup_future_usage shipping statement_descriptor
    statement_descriptor_suffix transfer_data transfer_group`),
  amount_capturable: 0,
  capture_method: 'automatic',
  confirmation_method: 'automatic',
  payment_method_types: ['card'],
}

export const CHARGE: Unused = {
  ...nulls(`application application_fee application_fee_amount balance_transaction calculated_statement_descriptor customer
    failure_balance_transaction failure_code failure_message on_behalf_of outcome payment_method payment_method_details
    receipt_email receipt_number refunds review shipping source_transfer statement_descriptor
    statement_descriptor_suffix transfer_data transfer_group`),
  billing_details: nulls('address email name phone tax_id'),
  fraud_details: {},
}

export const REFUND: Unused = nulls(
  `balance_transaction customer customer_account destination_details payment_method receipt_number
   source_transfer_reversal transfer_reversal`,
)

export const DISPUTE: Unused = {
  balance_transactions: [],
  enhanced_eligibility_types: [],
  evidence: nulls(`access_activity_log billing_address cancellation_policy cancellation_policy_disclosure
    cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip
    customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id enhanced_evidence
    product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation service_date
    service_documentation shipping_address shipping_carrier shipping_date shipping_documentation
    shipping_tracking_number uncategorized_file uncategorized_text`),
  evidence_details: {
    due_by: null,
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_count: 0,
  },
  payment_method_details: null,
}
