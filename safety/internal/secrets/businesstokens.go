package secrets

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// moneyTokens finds the keys of payment and of shops. live_ and AQE begin other texts, so the rest
// must look generated.
func moneyTokens() []rule.Rule {
	return []rule.Rule{
		// Adyen, Mercado Pago, Asaas, Paddle, Chargebee, Xendit, Razorpay, Midtrans, Checkout.com
		// and WooCommerce.
		rule.RandomToken("adyen-key", "AQE{a60-160}-{b30-60}{e1-2}-{q8+}", "AQE{a60-160}-{b30-60}{e0-2}"),
		rule.Token("market-payment-token", "APP_USR-{d13-19}-{d6}-{x32}-{d6-12}"),
		rule.Token("brazil-payment-key", "aact_prod_{y60+}", "aact_hmlg_{y60+}", "aact_YTU5{y40+}"),
		rule.Token("billing-key", "pdl_live_apikey_{l26}_{a22}_{a3}", "pdl_sdbx_apikey_{l26}_{a22}_{a3}"),
		rule.Token("subscription-key", "live_{a20-40}<cdu>{a10-25}", "test_{a20-40}<cdu>{a10-25}"),
		rule.RandomToken("checkout-gateway-key", "xnd_production_{a40+}", "xnd_development_{a40+}", "sk_sbox_{a20+}",
			"SB-Mid-server-{k20+}", "Mid-server-{k20+}"),
		rule.TokenOf("checkout-key-id", rule.Format{}, isMixedToken, []string{"rzp_live_{a14}", "rzp_test_{a14}"}),
		rule.TokenOf("shop-plugin-key", rule.Format{Exact: true}, hasDigits, []string{"ck_{h40}", "cs_{h40}"}),

		// Logins and proofs of identity: Stytch, Statsig and Persona.
		rule.RandomToken("login-service-key", "secret-live-{s30+}", "secret-test-{s30+}", "secret-{a43}"),
		rule.Token("identity-check-key", "persona_production_{a24+}", "persona_sandbox_{a24+}"),
	}
}

// mailTokens finds the keys of mail, telephony and messages.
func mailTokens() []rule.Rule {
	exact := rule.Format{Exact: true}
	return []rule.Rule{
		// Mailgun before its newer keys, Mandrill, Brevo's SMTP, MailerSend, Klaviyo, OneSignal,
		// Postmark's kin.
		rule.TokenOf("mailgun-legacy-key", exact, hasDigits, []string{"key-{h32}"}),
		rule.TokenOf("mandrill-key", exact, lex.LooksGeneratedInBothCases, []string{"md-{k22}"}),
		rule.Token("brevo-relay-key", "xsmtpsib-{x64}-{a16}"),
		rule.Token("mail-sender-token", "mlsn.{x64}"),
		rule.TokenOf("marketing-key", exact, hasDigits, []string{"pk_{h34}"}),
		rule.RandomToken("push-message-key", "os_v2_app_{l60+}", "os_v2_org_{l60+}"),

		// Telnyx and PubNub.
		rule.Token("phone-api-key", "KEY0{u30-33}_{a22}"),
		rule.Token("realtime-secret", "sec-c-{n36+}"),
		discordTokens(),
	}
}

// monitorTokens finds the keys of monitoring, analytics and flags.
func monitorTokens() []rule.Rule {
	exact := rule.Format{Exact: true}
	return []rule.Rule{
		// New Relic: license keys end in NRAL; admin, query and other keys begin with their kind.
		rule.LooseToken("new-relic-license-key", "{l36}<NRAL>", "{l32}<FFFFNRAL>", "{x36}<FFFFNRAL>"),
		rule.FoldToken("new-relic-key", "NRAA-{n20+}", "NRIQ-{k32}", "NRII-{k32}", "NRRA-{n40+}", "NRSP-{n30+}",
			"NRBR-{n18+}", "NRRL-{n18+}"),
		rule.Token("observability-oauth-secret", "dt0s01.{u8}.{u64}", "dt0s02.{u8}.{u64}", "dt0s03.{u8}.{u64}",
			"dt0s06.{u8}.{u64}", "dt0s08.{u8}.{u64}"),
		rule.Token("trace-ingest-key", "hcaik_{l50+}", "hcxik_{l50+}", "hcalk_{l50+}", "hcbik_{l50+}", "hcamk_{a50+}"),
		rule.TokenOf("event-router-token", exact, lex.LooksGeneratedInBothCases, []string{"sgp_{a64}"}),
		rule.RandomToken("error-page-key", "console-{a43}"),
	}
}

// officeTokens finds the keys of social networks, support, content and planning.
func officeTokens() []rule.Rule {
	return []rule.Rule{
		// Twitter's bearer tokens, Instagram, Facebook's other tokens, LinkedIn, Pinterest and TikTok.
		rule.LooseToken("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA{a12-40}%3D{a30+}",
			"AAAAAAAAAAAAAAAAAAAAA{a12-40}%2B{%30+}", "AAAAAAAAAAAAAAAAAAAAA{a12-40}%2F{%30+}"),
		rule.Token("photo-network-token", "IGQV{k100+}", "IGQW{k100+}", "IGAA{k100+}"),
		rule.RandomToken("social-graph-token", "EAA{a100+}").Isolated(),
		rule.LooseToken("career-network-secret", "WPL_AP1.{a16}.{b6}{e0-2}", "WPL_AP0.{a16}.{b6}{e0-2}"),
		rule.RandomToken("pin-network-token", "pina_{a60+}"),

		// Salesforce's sessions, Asana, ClickUp and Trello.
		rule.LooseToken("crm-session", "00D{a12-15}!{q60+}"),
		rule.Token("task-service-token", "1/1{d14-16}:{x32}", "2/1{d14-16}/{d15-17}:{x32}"),
		rule.Token("task-board-key", "pk_{d6-9}_{u32}", "ATTA{x60+}"),

		// Sanity, Canva, Zoho, Webex's kin, WakaTime, Riot Games and Wix.
		Vendor("content-store-token", "sanity", "sk{a150-200}"),
		rule.RandomToken("design-tool-secret", "cnvca{k40+}", "cnvsk{k40+}"),
		rule.Token("office-suite-token", "1000.{x32}.{x32}"),
		rule.Token("games-platform-key", "RGAPI-"+uuid),
		rule.RandomToken("fleet-key", "samsara_api_{a30}", "NF-{a32}"),
		rule.Token("earth-image-key", "PLAK{x32}"),
		Vendor("chat-robot-secret", "dingtalk", "SEC{x64}"),
	}
}

// discordTokens finds bot tokens whose second part does not begin with G ("Reference",
// authentication): the first part is base64 of the bot's id, a number, so its first three
// characters are those of two digits.
func discordTokens() rule.Rule {
	f := rule.Format{Right: mustParts("{k20-25}.{k6}.{k27-45}")}
	r := rule.Rule{
		ID: "chat-bot-token", Specificity: rule.ByShape,
		Hits:   []string{"MTE{a21}.X{k5}.{a38}", "NzE{a21}.a{k5}.{a27}", "Mzk{a23}.b{k5}.{k36}Z"},
		Misses: []string{"MTE5.3.4", "NDA.signed.and_returned_to_the_office"},
		Match: func(s string, at, end int) (int, int) {
			to := f.Forward(s, end, f.Right)
			if to < 0 || !lex.CanStartToken(s, at) || !lex.LooksGenerated(s[at:to]) {
				return 0, 0
			}
			return at, lex.WordChars.Run(s, to, rule.MaxTail)
		},
		Context: prefilter.Context{Prev: lex.BeforeToken, Next: lex.WordChars, Far: lex.WordChars, Skip: 19},
	}
	for _, tens := range []byte("12367") { // the others encode to parts of words: ode, nte
		for ones := byte('0'); ones <= '9'; ones++ {
			r.Keywords = append(r.Keywords, encodedDigits(tens, ones))
		}
	}
	return r
}

// encodedDigits returns the first three characters of base64 of a number that begins with the two digits.
func encodedDigits(tens, ones byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	return string([]byte{alphabet[tens>>2], alphabet[tens&3<<4|ones>>4], alphabet[ones&15<<2]})
}
