package safety

// saasRules are keys of messaging, payment, mail, analytics and the rest.
func saasRules() []rule {
	return append(messagingRules(), append(paymentRules(), serviceRules()...)...)
}

func messagingRules() []rule {
	return []rule{
		tokenOf("slack-token", format{loose: true}, slackLike, []string{"xoxb-{n10+}", "xoxp-{n10+}", "xoxs-{n10+}", "xoxo-{n10+}",
			"xoxe-{n10+}", "xoxc-{n10+}", "xoxd-{%10+}", "xoxo-{d1+}-{d1+}-{d1+}-{x1+}", "xoxs-{d1+}-{d1+}-{d1+}-{x1+}"}).
			but("xoxo-with-love-from-all-of-us", "xoxb-my-very-own-bot-token"),
		looseToken("slack-workspace-token", "xoxa-{n8+}", "xoxr-{n8+}"),
		foldToken("slack-config-token", "xoxb-{d1}-{a100+}", "xoxp-{d1}-{a100+}", "xoxe.xoxb-{d1}-{a20+}", "xoxe.xoxp-{d1}-{a20+}", "xoxe-{d1}-{a100+}"),
		foldToken("slack-application-token", "xapp-{d1}-{a1+}-{d1+}-{a1+}"),
		link("chat-post-url", "hooks.slack.com/services/{b36+}", "hooks.slack.com/workflows/{b36+}", "hooks.slack.com/triggers/{b36+}"),
		link("guild-post-url", "discord.com/api/webhooks/{d15-21}/{k50+}", "discordapp.com/api/webhooks/{d15-21}/{k50+}"),
		vendor("discord-api-token", "discord", "{x64}", "{d18}", "{s32}"),
		randomToken("discord-bot-token", "{k24-28}<.G>{k5}.{k27-45}"),
		link("teams-post-url", "{a1-40}<.webhook.office.com/webhookb2/>{n36}@{n36}/IncomingWebhook/{a32}/{n36}"),
		token("telegram-bot-token", "{d8-12}<:AA>{k30+}"),
		vendor("telegram-bot-api-token", "telegr", "{d5-16}:A{k34}"),
		vendor("mattermost-access-token", "mattermost", "{a26}"),
		vendor("gitter-access-token", "gitter", "{k40}"),
		exactToken("twilio-api-key", "SK{x32}"),
		vendor("twilio-auth-token", "twilio", "{x32}"),
		token("sendgrid-api-key", "SG.{k20-24}.{k39-50}", "SG.{p66}"),
		token("sendinblue-api-token", "xkeysib-{x64}-{a16}"),
		exactToken("mailchimp-api-key", "{x32}<-us>{d1-2}"),
		vendor("mailchimp-token", "mailchimp", "{x32}-us{d2}"),
		vendor("mailgun-key", "mailgun", "key-{x32}", "pubkey-{x32}", "{g32}-{g8}-{g8}"),
		vendor("messagebird-api-token", "messagebird message-bird message_bird", "{a25}", uuid),
		vendor("intercom-api-key", "intercom", "{s60}"),
		vendor("sendbird-access-token", "sendbird", "{x40}", uuid),
		vendor("zendesk-secret-key", "zendesk", "{a40}"),
		vendor("twitter-api-key", "twitter", "{a25}", "{a45}", "{a50}", "{d15-25}-{a20-40}", "AAAAAAAAAAAAAAAAAAAAAA{%80-100}"),
		vendor("twitch-api-token", "twitch", "{a30}"),
		token("facebook-page-access-token", "EAAM{a80+}", "EAAC{a80+}").alone(),
		facebookToken(),
		vendor("facebook-secret", "facebook", "{x32}", "{d15-16}%{k27-40}"),
		vendor("linkedin-client", "linkedin linked_in linked-in", "{a14}", "{a16}"),
	}
}

// slackLike is a token's body with numbers in it, or scrambled: words joined by
// hyphens stand in for one.
func slackLike(v string) bool { return look(v).digit >= 2 || changes(v) >= 2 }

func paymentRules() []rule {
	return []rule{
		token("stripe-api-key", "sk_live_{a10+}", "sk_test_{a10+}", "sk_prod_{a10+}", "rk_live_{a10+}", "rk_test_{a10+}", "rk_prod_{a10+}"),
		token("stripe-webhook-secret", "whsec_{b24+}"),
		randomToken("square-access-token", "sq0atp-{k22-60}", "sq0csp-{k40+}"),
		randomToken("square-merchant-token", "EAAA{k22-60}").alone(),
		foldToken("flutterwave-key", "FLWSECK_TEST-{g32}-X", "FLWPUBK_TEST-{g32}-X", "FLWSECK-{a32}-X", "FLWSECK_TEST-{g12}"),
		token("shopify-access-token", "shpat_{x32}"),
		token("shopify-custom-access-token", "shpca_{x32}"),
		token("shopify-private-app-access-token", "shppa_{x32}"),
		token("shopify-shared-secret", "shpss_{x32}"),
		token("parcel-api-token", "shippo_live_{x40}", "shippo_test_{x40}"),
		exactToken("easypost-api-token", "EZAK{a54}"),
		exactToken("easypost-test-api-token", "EZTK{a54}"),
		token("flight-api-token", "duffel_test_{s43}", "duffel_live_{s43}"),
		foldToken("lob-api-key", "live_{x35}", "test_{x35}"),
		foldToken("lob-pub-api-key", "live_pub_{x31}", "test_pub_{x31}"),
		foldToken("plaid-api-token", "access-sandbox-"+uuid, "access-development-"+uuid, "access-production-"+uuid),
		vendor("plaid-secret", "plaid", "{a24}", "{a30}"),
		vendor("gocardless-api-token", "gocardless", "live_{s40}"),
		vendor("coinbase-access-token", "coinbase", "{k64}"),
		vendor("kraken-access-token", "kraken", "{y80-90}"),
		vendor("kucoin-key", "kucoin", "{x24}", uuid),
		vendor("bittrex-key", "bittrex", "{a32}"),
		vendor("finicity-key", "finicity", "{x32}", "{a20}"),
		vendor("finnhub-access-token", "finnhub", "{a20}"),
		vendor("freshbooks-access-token", "freshbooks", "{a64}"),
		vendor("squarespace-access-token", "squarespace", uuid),
		vendor("etsy-access-token", "etsy", "{a24}"),
		vendor("hubspot-api-key", "hubspot", uuid),
		token("hubspot-private-app-token", "pat-na1-"+uuid, "pat-eu1-"+uuid),
		token("braintree-key", "access_token$production${l16}${x32}", "access_token$sandbox${l16}${x32}"),
	}
}

func serviceRules() []rule {
	return []rule{
		vendor("adafruit-api-key", "adafruit", "{k32}"),
		token("adafruit-io-key", "aio_{a28}"),
		vendor("adobe-client-id", "adobe", "{x32}"),
		token("adobe-client-secret", "p8e-{a32}"),
		vendor("airtable-api-key", "airtable", "{a17}"),
		token("airtable-personal-access-token", "pat{a14}.{x64}"),
		vendor("asana-client", "asana", "{d16}", "{a32}"),
		vendor("beamer-api-token", "beamer", "b_{s44}"),
		vendor("contentful-delivery-api-token", "contentful", "{s43}"),
		token("contentful-pat", "CFPAT-{k43}"),
		vendor("dropbox-api-token", "dropbox", "{a15}", "{a11}AAAAAAAAAA{s43}", "sl.{s135}"),
		token("dropbox-short-lived-token", "sl.{k130+}"),
		vendor("flickr-access-token", "flickr", "{a32}"),
		token("frameio-api-token", "fio-u-{s64}"),
		vendor("looker-client", "looker", "{a20}", "{a24}"),
		token("mapbox-api-token", "pk.eyJ{a50+}.{k20+}", "sk.eyJ{a50+}.{k20+}"),
		vendor("mapbox-token", "mapbox", "pk.{a60}.{a22}"),
		vendor("nytimes-access-token", "nytimes new-york-times newyorktimes", "{s32}"),
		vendor("rapidapi-access-token", "rapidapi", "{k50}"),
		token("typeform-api-token", "tfp_{p59}"),
		vendor("typeform-token", "typeform", "tfp_{p59}"),
		randomToken("mail-api-key", "re_{a6-10}_{a20-30}"),
		token("product-analytics-key", "phx_{a40+}", "phc_{a40+}", "phs_{a40+}"),
		token("scraping-api-token", "apify_api_{a30+}"),
		sidekiqSecret(),
		foldToken("sidekiq-url", "{x8}:{x8}<@gems.contribsys.com>", "{x8}:{x8}<@enterprise.contribsys.com>"),
		curlUser(),
		vendor("freemius-secret-key", "freemius", "sk_{k29}"),
	}
}
