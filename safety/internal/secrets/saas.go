package secrets

import (
	"slices"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// messagingRules finds tokens of chat services, and the addresses that let whoever
// knows them post. Phrases such as xoxo-with-love-from-all-of-us once matched; see
// looksLikeSlackToken.
func messagingRules() []rule.Rule {
	return []rule.Rule{
		// Slack ("Token types"): bot, user, workspace, configuration and app tokens.
		rule.TokenOf("slack-token", rule.Format{Loose: true}, looksLikeSlackToken, []string{
			"xoxb-{n10+}", "xoxp-{n10+}", "xoxs-{n10+}", "xoxo-{n10+}",
			"xoxe-{n10+}", "xoxc-{n10+}", "xoxd-{%10+}",
			"xoxo-{d1+}-{d1+}-{d1+}-{x1+}", "xoxs-{d1+}-{d1+}-{d1+}-{x1+}"}).
			Except("xoxo-with-love-from-all-of-us", "xoxb-my-very-own-bot-token"),
		rule.LooseToken("slack-workspace-token", "xoxa-{n8+}", "xoxr-{n8+}"),
		rule.FoldToken(
			"slack-config-token",
			"xoxb-{d1}-{a100+}",
			"xoxp-{d1}-{a100+}",
			"xoxe.xoxb-{d1}-{a20+}",
			"xoxe.xoxp-{d1}-{a20+}",
			"xoxe-{d1}-{a100+}",
		),
		rule.FoldToken("slack-application-token", "xapp-{d1}-{a1+}-{d1+}-{a1+}"),

		// Addresses that accept posts: Slack ("Incoming webhooks"), Discord ("Webhook resource").
		// Bot tokens of Discord are an id, a time and a signature.
		rule.Link(
			"chat-post-url",
			"hooks.slack.com/services/{b36+}",
			"hooks.slack.com/workflows/{b36+}",
			"hooks.slack.com/triggers/{b36+}",
		),
		rule.Link(
			"guild-post-url",
			"discord.com/api/webhooks/{d15-21}/{k50+}",
			"discordapp.com/api/webhooks/{d15-21}/{k50+}",
		),
		Vendor("discord-api-token", "discord", "{x64}", "{d18}", "{s32}"),
		rule.RandomToken("discord-bot-token", "{k24-28}<.G>{k5}.{k27-45}", "{k24-28}<.X>{k5}.{k27-45}",
			"{k24-28}<.Y>{k5}.{k27-45}"),

		// Microsoft Teams ("Incoming Webhooks").
		rule.Link("teams-post-url", "{a1-40}<.webhook.office.com/webhookb2/>{n36}@{n36}/IncomingWebhook/{a32}/{n36}"),

		// Telegram ("Bot API", authorizing your bot), Mattermost and Gitter.
		rule.Token("telegram-bot-token", "{d8-12}<:AA>{k30+}"),
		rule.LooseToken("telegram-bot-url", "/bot{d6-12}:{k30+}"),
		Vendor("telegram-bot-api-token", "telegr", "{d5-16}:A{k34}"),
		Vendor("mattermost-access-token", "mattermost", "{a26}"),
		Vendor("gitter-access-token", "gitter", "{k40}"),
	}
}

// contactRules finds keys of telephony, mail, support and social networks.
func contactRules() []rule.Rule {
	return []rule.Rule{
		// Twilio ("API keys", SIDs) and SendGrid.
		rule.ExactToken("twilio-api-key", "SK{x32}"),
		Vendor("twilio-auth-token", "twilio", "{x32}"),
		rule.Token("sendgrid-api-key", "SG.{k20-24}.{k39-50}", "SG.{p66}"),

		// Mail and messages: Brevo, Mailchimp (the suffix names the data centre), Mailgun, MessageBird.
		rule.Token("sendinblue-api-token", "xkeysib-{x64}-{a16}"),
		rule.ExactToken("mailchimp-api-key", "{x32}<-us>{d1-2}"),
		Vendor("mailchimp-token", "mailchimp", "{x32}-us{d2}"),
		Vendor("mailgun-key", "mailgun", "key-{x32}", "pubkey-{x32}", "{g32}-{g8}-{g8}"),
		Vendor("messagebird-api-token", "messagebird message-bird message_bird", "{a25}", uuid),

		// Support: Intercom, Sendbird and Zendesk.
		Vendor("intercom-api-key", "intercom", "{s60}"),
		Vendor("sendbird-access-token", "sendbird", "{x40}", uuid),
		Vendor("zendesk-secret-key", "zendesk", "{a40}"),

		// Social networks: Twitter (bearer tokens begin with a run of A), Twitch, Facebook ("Access
		// tokens") and LinkedIn. EAA now and then appears inside base64.
		Vendor(
			"twitter-api-key",
			"twitter",
			"{a25}",
			"{a45}",
			"{a50}",
			"{d15-25}-{a20-40}",
			"AAAAAAAAAAAAAAAAAAAAAA{%80-100}",
		),
		Vendor("twitch-api-token", "twitch", "{a30}"),
		rule.Token("facebook-page-access-token", "EAAM{a80+}", "EAAC{a80+}").Isolated(),
		facebookToken(),
		Vendor("facebook-secret", "facebook", "{x32}", "{d15-16}%{k27-40}"),
		Vendor("linkedin-client", "linkedin linked_in linked-in", "{a14}", "{a16}"),
	}
}

// paymentRules finds keys of payment, shops, parcels and travel. EAAA and sq0 also
// begin runs of base64, so the rest must look generated.
func paymentRules() []rule.Rule {
	return []rule.Rule{
		// Stripe ("API keys", and "Verify webhook signatures" for whsec_).
		rule.Token(
			"stripe-api-key",
			"sk_live_{a10+}",
			"sk_test_{a10+}",
			"sk_prod_{a10+}",
			"rk_live_{a10+}",
			"rk_test_{a10+}",
			"rk_prod_{a10+}",
		),
		rule.Token("stripe-webhook-secret", "whsec_{b24+}"),

		// Square ("Access tokens") and Flutterwave.
		rule.RandomToken("square-access-token", "sq0atp-{k22-60}", "sq0csp-{k40+}"),
		rule.RandomToken("square-merchant-token", "EAAA{k22-60}").Isolated(),
		rule.FoldToken(
			"flutterwave-key",
			"FLWSECK_TEST-{g32}-X",
			"FLWPUBK_TEST-{g32}-X",
			"FLWSECK-{a32}-X",
			"FLWSECK_TEST-{g12}",
		),

		// Shopify ("Access tokens", prefixes), Shippo, EasyPost, Duffel and Lob.
		rule.Token("shopify-access-token", "shpat_{x32}"),
		rule.Token("shopify-custom-access-token", "shpca_{x32}"),
		rule.Token("shopify-private-app-access-token", "shppa_{x32}"),
		rule.Token("shopify-shared-secret", "shpss_{x32}"),
		rule.Token("parcel-api-token", "shippo_live_{x40}", "shippo_test_{x40}"),
		rule.ExactToken("easypost-api-token", "EZAK{a54}"),
		rule.ExactToken("easypost-test-api-token", "EZTK{a54}"),
		rule.Token("flight-api-token", "duffel_test_{s43}", "duffel_live_{s43}"),
		rule.FoldToken("lob-api-key", "live_{x35}", "test_{x35}"),
		rule.FoldToken("lob-pub-api-key", "live_pub_{x31}", "test_pub_{x31}"),
	}
}

// bankRules finds keys of banks, exchanges and bookkeeping.
func bankRules() []rule.Rule {
	return []rule.Rule{
		// Banks and exchanges, most of them without a prefix: Plaid, GoCardless, Coinbase, Kraken, KuCoin,
		// Bittrex, Finicity, Finnhub.
		rule.FoldToken(
			"plaid-api-token",
			"access-sandbox-"+uuid,
			"access-development-"+uuid,
			"access-production-"+uuid,
		),
		Vendor("plaid-secret", "plaid", "{a24}", "{a30}"),
		Vendor("gocardless-api-token", "gocardless", "live_{s40}"),
		Vendor("coinbase-access-token", "coinbase", "{k64}"),
		Vendor("kraken-access-token", "kraken", "{y80-90}"),
		Vendor("kucoin-key", "kucoin", "{x24}", uuid),
		Vendor("bittrex-key", "bittrex", "{a32}"),
		Vendor("finicity-key", "finicity", "{x32}", "{a20}"),
		Vendor("finnhub-access-token", "finnhub", "{a20}"),

		// Shops and their books: FreshBooks, Squarespace, Etsy, HubSpot, Braintree.
		Vendor("freshbooks-access-token", "freshbooks", "{a64}"),
		Vendor("squarespace-access-token", "squarespace", uuid),
		Vendor("etsy-access-token", "etsy", "{a24}"),
		Vendor("hubspot-api-key", "hubspot", uuid),
		rule.Token("hubspot-private-app-token", "pat-{l3}-"+uuid),
		rule.Token("braintree-key", "access_token$production${l16}${x32}", "access_token$sandbox${l16}${x32}"),
	}
}

// serviceRules finds keys of all other services: content, maps, analytics, design, forms.
func serviceRules() []rule.Rule {
	return []rule.Rule{
		// Adafruit and Adobe.
		Vendor("adafruit-api-key", "adafruit", "{k32}"),
		rule.Token("adafruit-io-key", "aio_{a28}"),
		Vendor("adobe-client-id", "adobe", "{x32}"),
		rule.Token("adobe-client-secret", "p8e-{a32}"),

		// Airtable ("Personal access tokens"), Asana, Beamer, Contentful.
		Vendor("airtable-api-key", "airtable", "{a17}"),
		rule.Token("airtable-personal-access-token", "pat{a14}.{x64}"),
		Vendor("asana-client", "asana", "{d16}", "{a32}"),
		Vendor("beamer-api-token", "beamer", "b_{s44}"),
		Vendor("contentful-delivery-api-token", "contentful", "{s43}"),
		rule.Token("contentful-pat", "CFPAT-{k43}"),

		// Dropbox, whose short-lived tokens begin with sl., Flickr and Frame.io.
		Vendor("dropbox-api-token", "dropbox", "{a15}", "{a11}AAAAAAAAAA{s43}", "sl.{s135}"),
		rule.Token("dropbox-short-lived-token", "sl.{k130+}"),
		Vendor("flickr-access-token", "flickr", "{a32}"),
		rule.Token("frameio-api-token", "fio-u-{s64}"),

		// Looker, and Mapbox, whose tokens are a letter pair and base64 of JSON ("Access tokens").
		Vendor("looker-client", "looker", "{a20}", "{a24}"),
		rule.Token("mapbox-api-token", "pk.eyJ{a50+}.{k20+}", "sk.eyJ{a50+}.{k20+}"),
		Vendor("mapbox-token", "mapbox", "pk.{a60}.{a22}"),

		// The New York Times, RapidAPI and Typeform.
		Vendor("nytimes-access-token", "nytimes new-york-times newyorktimes", "{s32}"),
		Vendor("rapidapi-access-token", "rapidapi", "{k50}"),
		rule.Token("typeform-api-token", "tfp_{p59}"),
		Vendor("typeform-token", "typeform", "tfp_{p59}"),

		// Resend, PostHog and Apify. re_ begins many a name, so the rest must look generated.
		rule.RandomToken("mail-api-key", "re_{a6-10}_{a20-30}"),
		rule.Token("product-analytics-key", "phx_{a40+}", "phc_{a40+}", "phs_{a40+}"),
		rule.Token("scraping-api-token", "apify_api_{a30+}"),

		// Sidekiq's private gem server, curl's logins and Freemius.
		sidekiqSecret(),
		rule.FoldToken("sidekiq-url", "{x8}:{x8}<@gems.contribsys.com>", "{x8}:{x8}<@enterprise.contribsys.com>"),
		curlUser(),
		Vendor("freemius-secret-key", "freemius", "sk_{k29}"),
	}
}

// webhookRules finds addresses that start something or accept posts from whoever knows them. Each
// rule's hosts belong to services that document it so; the path is the secret, and the address is
// masked from its host on.
func webhookRules() []rule.Rule {
	return []rule.Rule{
		// Automation: Zapier, Make and Integromat, IFTTT, Pipedream, webhook.site, and n8n on any
		// host, whose paths are UUIDs unless somebody chose another.
		rule.Link("flow-post-url", "hooks.zapier.com/hooks/catch/{d4+}/{a5+}",
			"hooks.zapier.com/hooks/standard/{d4+}/{x20+}",
			"hook.eu1.make.com/{a20+}", "hook.eu2.make.com/{a20+}", "hook.us1.make.com/{a20+}",
			"hook.us2.make.com/{a20+}", "hook.integromat.com/{a20+}", "webhook.site/"+uuid,
			"maker.ifttt.com/trigger/{k1-60}/with/key/{k20+}", "maker.ifttt.com/trigger/{k1-60}/json/with/key/{k20+}"),
		rule.LooseToken("workflow-post-path", "/webhook/"+uuid, "/webhook-test/"+uuid),
		rule.Token("event-source-url", "{a10-20}<.m.pipedream.net>"),

		// Chat: WeCom, Feishu and Lark, DingTalk, Google Chat, Mattermost, Rocket.Chat and newer
		// ones of Discord and Teams, which posts by way of a flow whose address is signed.
		rule.Link("team-room-post-url", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={n30+}",
			"open.feishu.cn/open-apis/bot/v2/hook/{n30+}", "open.feishu.cn/open-apis/bot/hook/{n30+}",
			"open.larksuite.com/open-apis/bot/v2/hook/{n30+}", "oapi.dingtalk.com/robot/send?access_token={x40+}",
			"chat.googleapis.com/v1/spaces/{k5-20}/messages?key={k30-50}&token={p30+}"),
		rule.LooseToken("room-post-url", "/hooks/{l26}", "/hooks/{a17}/{a30+}"),
		rule.Link("versioned-guild-post-url", "discord.com/api/v6/webhooks/{d15-21}/{k50+}",
			"discord.com/api/v8/webhooks/{d15-21}/{k50+}", "discord.com/api/v9/webhooks/{d15-21}/{k50+}",
			"discord.com/api/v10/webhooks/{d15-21}/{k50+}"),
		rule.LooseToken("flow-signature", "&sig={k43}", "?sig={k43}"),

		// Deployments: Netlify, Vercel, Render and Cloudflare Pages start a build; Healthchecks
		// records a run.
		rule.Link("release-start-url", "api.netlify.com/build_hooks/{x24}",
			"api.vercel.com/v1/integrations/deploy/prj_{a20+}/{a8+}", "api.render.com/deploy/srv-{a20}?key={k8+}",
			"api.cloudflare.com/client/v4/pages/webhooks/deploy_hooks/"+uuid, "hc-ping.com/"+uuid,
			"hooks.airtable.com/workflows/v1/genericWebhook/{a14+}/{a14+}/{a14+}"),
	}
}

// signedAddress finds the signature of an address that grants access for a while: of S3 and what speaks its protocol,
// Google Cloud Storage, Alibaba's and Tencent's stores, Azure's SAS, and CloudFront and older S3, whose parameter has a
// common name.
func signedAddress() rule.Rule {
	return rule.Rule{
		ID: "signed-url-signature", Specificity: rule.ByContext, Fold: true, Match: matchSignature, MaxGap: 1100,
		Keywords: []string{"-signature=", "&signature=", "?signature=", "&sig=", "?sig="},
		Hits: []string{
			"https://s.test/b/x?X-Goog-Algorithm=G&X-Goog-Signature={h64}", "X-Amz-Expires=60&X-Amz-Signature={h64}",
			"https://d.test/x?Expires=1700000000&Signature={a20}~{a20}__&Key-Pair-Id=K2",
			"?sv=2024&sig={a40}%2B{a1}%3D",
			"?AWSAccessKeyId=x&Expires=1&Signature={a25}%3D",
		},
		Misses: []string{
			"?sig=abc", "x?Signature=v4", "?signature=YOUR_SIGNATURE_GOES_HERE_PLEASE",
			"&sig=${SIGNATURE_OF_THIS_REQUEST_1}",
			"X-Amz-Signature=<signature>", "?signature=verify-the-webhook-signature-header-1",
		},
	}
}

// signatureChars are the bytes of a signature in an address, and signatureEscapes what is written for other ones.
var (
	signatureChars   = lex.NewClass("A-Za-z0-9+/_=~-")
	signatureEscapes = []string{"%2b", "%2f", "%3d", "%7e"}
)

// matchSignature matches the value behind the parameter s[at:end].
func matchSignature(s string, _, end int) (int, int) {
	to := signatureChars.Run(s, end, 1024)
	for to-end < 1024 && slices.ContainsFunc(signatureEscapes, func(e string) bool { return lex.HasFold(s, to, e) }) {
		to = signatureChars.Run(s, to+3, 1024)
	}
	text := s[end:to]
	chars := lex.CountChars(text)
	if len(text) < 24 || lex.Placeholder(text) || chars.Digit < 3 {
		return 0, 0
	}
	if words, _, _ := lex.WordsIn(text); words > 0 || !chars.Hex && (chars.Upper == 0 || chars.Lower == 0) {
		return 0, 0
	}
	return end, to
}
